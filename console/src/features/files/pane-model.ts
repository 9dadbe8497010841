import { useEffect, useMemo, useState } from 'react';
import { useT } from '#/lib/i18n';
import { type Entry, type Rights, rightsOf } from './contract';
import type { FilesApi } from './files-api';
import { pathOf } from './file-paths';
import { apiOf } from './links';
import { arrange } from './list/arrange';
import { keep, NOTHING, type Selection } from './list/selection';
import { type Folder, useFolder } from './use-folder';
import { changePane, type FileSession, isOver, type Side, useWorkspace } from './workspace';

/** What a pane shows and what may be done in it. */
export interface PaneModel {
  readonly side: Side;
  readonly session: FileSession;
  /** Null while the session is not open. */
  readonly api: FilesApi | null;
  readonly folder: Folder;
  /** Path of the folder, once the host has named it. */
  readonly path: string;
  /** The entries to show, in their order. */
  readonly rows: readonly Entry[];
  readonly ids: readonly string[];
  readonly selection: Selection;
  readonly setSelection: (selection: Selection) => void;
  /** The selected entries, in the order of the list. */
  readonly chosen: readonly Entry[];
  readonly filter: string;
  readonly setFilter: (filter: string) => void;
  readonly rights: Rights;
  /** Why nothing can be changed here; undefined if it can. */
  readonly noUpload: string | undefined;
  readonly noDownload: string | undefined;
}

/** A value that belongs to one folder, and begins anew in another. */
function useOfFolder<Value>(key: string, initial: Value): [Value, (value: Value) => void] {
  const [kept, setKept] = useState({ key, value: initial });
  return [kept.key === key ? kept.value : initial, (value) => setKept({ key, value })];
}

/** After a way up the keyboard is on the folder that was left. */
function cameFrom(shown: string | null, from: string | null): Selection {
  const left =
    shown !== null && from?.startsWith(shown) ? from.slice(shown === '' ? 0 : shown.length + 1) : '';
  return left === '' || left.includes('/') ? NOTHING : { ...NOTHING, cursor: left, anchor: left };
}

export function usePaneModel(side: Side, session: FileSession): PaneModel {
  const t = useT();
  const { path: wanted, version, from } = useWorkspace((state) => state.panes[side]);
  const { hidden, order } = useWorkspace((state) => state.preferences);
  const api = apiOf(session.id);
  const folder = useFolder(api, wanted, version);
  const [filter, setFilter] = useOfFolder(folder.key, '');
  const { entries, place } = folder;
  const shown = place === null ? null : pathOf(place.path);
  const [marked, setSelection] = useOfFolder(folder.key, cameFrom(shown, from));
  const rows = useMemo(() => arrange(entries, { order, filter, hidden }), [entries, order, filter, hidden]);
  const ids = useMemo(() => rows.map((entry) => entry.name.id), [rows]);
  const selection = useMemo(() => keep(marked, ids), [marked, ids]);
  const chosen = useMemo(
    () => (selection.chosen.size === 0 ? [] : rows.filter(({ name }) => selection.chosen.has(name.id))),
    [rows, selection],
  );
  useEffect(() => {
    if (shown !== null) changePane(side, { shown });
  }, [side, shown]);
  const rights = rightsOf(session.opened?.actions ?? 0);
  const over = isOver(session) ? t('files:why.over') : undefined;
  const unloaded = place === null && folder.failure !== null ? t('files:list.failed') : undefined;
  return {
    side,
    session,
    api,
    folder,
    path: shown ?? wanted ?? '',
    rows,
    ids,
    selection,
    setSelection,
    chosen,
    filter,
    setFilter,
    rights,
    noUpload: over ?? (rights.upload ? unloaded : t('files:why.no_upload')),
    noDownload: over ?? (rights.download ? undefined : t('files:why.no_download')),
  };
}
