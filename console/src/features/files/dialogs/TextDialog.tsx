import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { confirm } from '#/ui/confirm';
import { Dialog } from '#/ui/dialog';
import { TextArea } from '#/ui/field';
import { Note } from '#/ui/note';
import { SkeletonLines } from '#/ui/skeleton';
import type { Entry } from '../contract';
import { nameOf, pathIn } from '../pane-commands';
import type { PaneModel } from '../pane-model';
import { reloadSession } from '../workspace';
import { type OpenText, useTextFile } from './use-text-file';

/** Somebody else has saved the file: neither text is lost without a decision. */
function Conflict({ open, onSave }: { readonly open: OpenText; readonly onSave: (force: boolean) => void }) {
  const t = useT();
  return (
    <Note tone="warn" announce>
      <p>{t('files:text.changed')}</p>
      <span className="flex flex-wrap gap-2 pt-1.5">
        <Button size="sm" onClick={() => void open.read()}>
          {t('files:text.reload')}
        </Button>
        <Button size="sm" kind="danger" onClick={() => onSave(true)}>
          {t('files:text.overwrite')}
        </Button>
      </span>
    </Note>
  );
}

/** A short text: shown, and edited if action and charset allow it. */
export function TextDialog({
  pane,
  entry,
  onClose,
}: {
  readonly pane: PaneModel;
  readonly entry: Entry;
  readonly onClose: () => void;
}) {
  const t = useT();
  const open = useTextFile(pane.api, pathIn(pane, entry));
  const { file } = open;
  const mayWrite = file?.is_writable === true && pane.noUpload === undefined;
  const leave = async (): Promise<void> => {
    const question = {
      title: t('files:text.discard'),
      effect: t('files:text.discard_effect'),
      confirmLabel: t('files:text.discard_confirm'),
      danger: true,
    };
    if (!open.isChanged || (await confirm(question))) onClose();
  };
  const save = async (force: boolean): Promise<void> => {
    if (!(await open.save(force))) return;
    reloadSession(pane.session.id);
    onClose();
  };
  return (
    <Dialog
      isOpen
      size="wizard"
      title={nameOf(entry)}
      onClose={() => void leave()}
      footer={
        <>
          <Button onClick={() => void leave()}>{t('ui:close')}</Button>
          {mayWrite && (
            <Button
              kind="primary"
              busy={open.isSaving}
              disabled={!open.isChanged}
              onClick={() => void save(false)}
            >
              {t('files:text.save')}
            </Button>
          )}
        </>
      }
    >
      <div className="grid gap-2">
        {open.failure !== null && (
          <Note tone="danger" announce>
            {open.failure}
          </Note>
        )}
        {open.isConflict && <Conflict open={open} onSave={(force) => void save(force)} />}
        {file === null && open.failure === null && <SkeletonLines />}
        {file !== null && (
          <>
            <TextArea
              aria-label={t('files:text.label', { name: nameOf(entry) })}
              className="font-mono text-meta"
              style={{ height: '56vh', whiteSpace: 'pre', overflow: 'auto' }}
              readOnly={!mayWrite}
              value={open.text}
              onChange={(event) => open.setText(event.target.value)}
            />
            <p className="text-meta text-ink-3">
              {file.charset}
              {!mayWrite && ` · ${pane.noUpload ?? t('files:text.read_only')}`}
            </p>
          </>
        )}
      </div>
    </Dialog>
  );
}
