import { useT } from '#/lib/i18n';
import { stateKey } from '#/domain/connecting/state';
import { Button } from '#/ui/button';
import { Note } from '#/ui/note';
import { FailedState, StateView } from '#/ui/states';
import { SkeletonLines } from '#/ui/skeleton';
import { FileTable } from './list/FileTable';
import { goUp, openEntry, type PaneDialog, reloadPane, removeChosen } from './pane-commands';
import type { PaneModel } from './pane-model';
import { isOver, setPreferences, useWorkspace } from './workspace';

/** What stands in place of rows. */
function Placeholder({ pane }: { readonly pane: PaneModel }) {
  const t = useT();
  const { folder, filter } = pane;
  if (folder.failure !== null)
    return (
      <FailedState title={t('files:list.failed')} message={folder.failure} onRetry={() => reloadPane(pane)} />
    );
  if (folder.isReading) return <SkeletonLines />;
  if (folder.entries.length === 0 && folder.incomplete === null)
    return (
      <StateView drawing="empty" title={t('files:list.empty')}>
        {pane.noUpload === undefined ? t('files:list.empty_hint') : undefined}
      </StateView>
    );
  if (folder.entries.length === 0) return null;
  return (
    <StateView
      drawing="no-match"
      title={t('files:list.no_match')}
      actions={
        filter === '' ? (
          <Button onClick={() => setPreferences({ hidden: true })}>{t('files:list.show_hidden')}</Button>
        ) : (
          <Button onClick={() => pane.setFilter('')}>{t('files:list.clear_filter')}</Button>
        )
      }
    />
  );
}

/** The entries of the folder of a pane, once its session is open. */
export function FolderList({
  pane,
  onDialog,
}: {
  readonly pane: PaneModel;
  readonly onDialog: (dialog: PaneDialog) => void;
}) {
  const t = useT();
  const order = useWorkspace((state) => state.preferences.order);
  const { session, folder, rows, selection, chosen } = pane;
  if (session.opened === null)
    return (
      <div className="grid min-h-0 grow place-items-center p-4 text-ink-2">
        {!isOver(session) && <p role="status">{t(stateKey(session), { via: session.via })}</p>}
      </div>
    );
  const cursor = rows.find(({ name }) => name.id === selection.cursor);
  return (
    <>
      {folder.incomplete !== null && (
        <div className="p-2">
          <Note tone="warn" announce>
            {t('files:list.incomplete', { reason: folder.incomplete })}
          </Note>
        </div>
      )}
      <FileTable
        label={t('files:list.label', { host: session.target.assetName })}
        rows={rows}
        ids={pane.ids}
        isReading={folder.isReading}
        selection={selection}
        onSelection={pane.setSelection}
        order={order}
        onOrder={(order) => setPreferences({ order })}
        onOpen={(at) => {
          const entry = rows[at];
          if (entry) openEntry(pane, entry, onDialog);
        }}
        onUp={() => goUp(pane)}
        onRename={() => {
          if (cursor && chosen.length <= 1 && pane.noUpload === undefined)
            onDialog({ kind: 'rename', entry: cursor });
        }}
        onDelete={() => void removeChosen(pane)}
        placeholder={<Placeholder pane={pane} />}
      />
    </>
  );
}
