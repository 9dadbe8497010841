import { useT } from '#/lib/i18n';
import { inFolder } from '../file-paths';
import { nameOf, type PaneDialog, pathIn } from '../pane-commands';
import type { PaneModel } from '../pane-model';
import { reloadSession } from '../workspace';
import { ModeDialog } from './ModeDialog';
import { NameDialog } from './NameDialog';
import { PictureDialog } from './PictureDialog';
import { PropertiesDialog } from './PropertiesDialog';
import { TextDialog } from './TextDialog';

/** The open dialog of a pane. */
export function PaneDialogs({
  pane,
  dialog,
  onClose,
}: {
  readonly pane: PaneModel;
  readonly dialog: PaneDialog;
  readonly onClose: () => void;
}) {
  const t = useT();
  const { api, session } = pane;
  const changed = (): void => reloadSession(session.id);
  switch (dialog.kind) {
    case 'folder':
      return (
        <NameDialog
          title={t('files:new_folder')}
          initial=""
          confirmLabel={t('files:name.make')}
          run={async (text) => {
            if (api) await api.makeFolder(inFolder(pane.path, await api.name(text)));
            changed();
          }}
          onClose={onClose}
        />
      );
    case 'rename':
      return (
        <NameDialog
          title={t('files:rename.title', { name: nameOf(dialog.entry) })}
          initial={dialog.entry.name.text}
          confirmLabel={t('files:rename.rename')}
          run={async (text) => {
            if (api && text !== dialog.entry.name.text)
              await api.move(pathIn(pane, dialog.entry), inFolder(pane.path, await api.name(text)));
            changed();
          }}
          onClose={onClose}
        />
      );
    case 'mode':
      return <ModeDialog pane={pane} entries={dialog.entries} onClose={onClose} />;
    case 'properties':
      return <PropertiesDialog pane={pane} entry={dialog.entry} onClose={onClose} />;
    case 'text':
      return <TextDialog pane={pane} entry={dialog.entry} onClose={onClose} />;
    case 'picture':
      return <PictureDialog pane={pane} entry={dialog.entry} onClose={onClose} />;
  }
}
