import { translate } from '#/lib/i18n';
import { confirm } from '#/ui/confirm';
import { toast } from '#/ui/toast';
import { visible } from '#/ui/visible-text';
import { type Entry, MAX_PICTURE_BYTES, MAX_TEXT_BYTES } from './contract';
import { above, inFolder, isFile, isFolder, isPicture } from './file-paths';
import { saveFrom } from './save-from';
import type { PaneModel } from './pane-model';
import { go, otherSide, reload, reloadSession, useWorkspace } from './workspace';

/** A dialog of a pane, and what it is about. */
export type PaneDialog =
  | { readonly kind: 'folder' }
  | { readonly kind: 'rename' | 'properties' | 'text' | 'picture'; readonly entry: Entry }
  | { readonly kind: 'mode'; readonly entries: readonly Entry[] };

export function pathIn(pane: PaneModel, entry: Entry): string {
  return inFolder(pane.path, entry.name);
}

/** Whether `goUp` leads anywhere: also out of a folder that did not load. */
export function canGoUp({ folder: { place, failure }, path }: PaneModel): boolean {
  return place === null ? failure !== null && path !== '' : above(place) !== null;
}

/** Goes to the folder above. Above the first name of a folder that did not load is the one in which the session begins. */
export function goUp(pane: PaneModel): void {
  if (pane.api === null || !canGoUp(pane)) return;
  const { place } = pane.folder;
  go(pane.side, place === null ? pane.path.split('/').slice(0, -1).join('/') || null : above(place));
}

/** Opens a folder, shows a picture or a short text, and downloads anything else. */
export function openEntry(pane: PaneModel, entry: Entry, show: (dialog: PaneDialog) => void): void {
  const path = pathIn(pane, entry);
  if (pane.api === null) return;
  if (isFolder(entry)) go(pane.side, path);
  else if (!isFile(entry)) toast({ tone: 'error', text: translate('files:no_file') });
  else if (pane.noDownload !== undefined) toast({ tone: 'error', text: pane.noDownload });
  else if (isPicture(entry) && (entry.size ?? 0) <= MAX_PICTURE_BYTES) show({ kind: 'picture', entry });
  else if ((entry.size ?? 0) <= MAX_TEXT_BYTES) show({ kind: 'text', entry });
  else saveFrom(pane.api.contentUrl(path));
}

/** Asks, and deletes the selected entries. */
export async function removeChosen(pane: PaneModel): Promise<void> {
  const { chosen, api, session } = pane;
  if (api === null || chosen.length === 0 || pane.noUpload !== undefined) return;
  const hasFolders = chosen.some(({ kind }) => kind === 'folder');
  const paths = chosen.map((entry) => pathIn(pane, entry));
  await confirm({
    title: translate('files:delete.question', { count: chosen.length, host: session.target.assetName }),
    effect: translate(hasFolders ? 'files:delete.effect_folders' : 'files:delete.effect'),
    names: chosen.map(({ name }) => name.text),
    confirmLabel: translate('files:delete.confirm', { count: chosen.length }),
    danger: true,
    run: () => api.remove(paths, () => undefined).finally(() => reloadSession(session.id)),
  });
}

/** The folder of the other pane, if it shows another folder of the same session; else undefined. */
export function folderAcross(pane: PaneModel): string | undefined {
  const { panes, preferences } = useWorkspace.getState();
  const { sessionId, shown } = panes[otherSide(pane.side)];
  const isAcross = preferences.two && sessionId === pane.session.id && shown !== pane.path;
  return isAcross && shown !== null ? shown : undefined;
}

/** Moves the selected entries into the folder of the other pane; asks before one of them replaces another. */
export async function moveAcross(pane: PaneModel): Promise<void> {
  const { api, chosen, session } = pane;
  const across = folderAcross(pane);
  if (api === null || across === undefined) return;
  await confirm({
    title: translate('files:move.question', { count: chosen.length }),
    effect: translate('files:move.effect'),
    names: chosen.map(({ name }) => name.text),
    confirmLabel: translate('files:move.confirm', { count: chosen.length }),
    run: async () => {
      try {
        for (const entry of chosen) await api.move(pathIn(pane, entry), inFolder(across, entry.name));
      } finally {
        reloadSession(session.id);
      }
    },
  });
}

/** The name of an entry in a sentence. */
export function nameOf(entry: Entry): string {
  return visible(entry.name.text);
}

export function reloadPane(pane: PaneModel): void {
  reload(pane.side);
}
