import { type FormEvent, useId, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Checkbox } from '#/ui/choice';
import { Dialog } from '#/ui/dialog';
import { Field, TextInput } from '#/ui/field';
import { Note } from '#/ui/note';
import type { Entry } from '../contract';
import { octal, readOctal } from '../file-paths';
import { nameOf, pathIn } from '../pane-commands';
import type { PaneModel } from '../pane-model';
import { reloadSession } from '../workspace';

const WHO = [
  ['files:mode.owner', 6],
  ['files:mode.group', 3],
  ['files:mode.others', 0],
] as const;
const WHAT = [
  ['files:mode.read', 4],
  ['files:mode.write', 2],
  ['files:mode.execute', 1],
] as const;
const USUAL = 0o644;

function Boxes({ mode, onChange }: { readonly mode: number; readonly onChange: (mode: number) => void }) {
  const t = useT();
  return (
    <div className="grid gap-2">
      {WHO.map(([who, shift]) => (
        <div
          key={who}
          role="group"
          aria-label={t(who)}
          className="flex flex-wrap items-center gap-x-5 gap-y-1"
        >
          <span className="w-20 text-ink-2">{t(who)}</span>
          {WHAT.map(([what, bit]) => (
            <Checkbox
              key={what}
              checked={(mode & (bit << shift)) !== 0}
              onChange={() => onChange(mode ^ (bit << shift))}
            >
              {t(what)}
            </Checkbox>
          ))}
        </div>
      ))}
    </div>
  );
}

/** Permission bits as boxes and as an octal number, for one or several entries. */
export function ModeDialog({
  pane,
  entries,
  onClose,
}: {
  readonly pane: PaneModel;
  readonly entries: readonly Entry[];
  readonly onClose: () => void;
}) {
  const t = useT();
  const form = useId();
  const [first] = entries;
  const [text, setText] = useState(octal(first?.mode ?? USUAL));
  const [failure, setFailure] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  const mode = readOctal(text);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (busy || mode === null || pane.api === null) return;
    setBusy(true);
    try {
      for (const entry of entries) await pane.api.changeMode(pathIn(pane, entry), mode);
      onClose();
    } catch (error) {
      setFailure(explain(error));
      setBusy(false);
    }
    reloadSession(pane.session.id);
  };
  return (
    <Dialog
      isOpen
      size="text"
      title={
        entries.length === 1 && first
          ? t('files:mode.title', { name: nameOf(first) })
          : t('files:mode.title_many', { count: entries.length })
      }
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('ui:cancel')}</Button>
          <Button kind="primary" type="submit" form={form} busy={busy} disabled={mode === null}>
            {t('files:mode.set')}
          </Button>
        </>
      }
    >
      <form id={form} className="grid gap-3" noValidate onSubmit={(event) => void submit(event)}>
        <Boxes mode={mode ?? 0} onChange={(next) => setText(octal(next))} />
        <Field
          layout="above"
          label={t('files:mode.octal')}
          error={mode === null ? t('files:mode.not_octal') : undefined}
        >
          {(control) => (
            <TextInput {...control} value={text} onChange={(event) => setText(event.target.value)} />
          )}
        </Field>
        {failure !== null && (
          <Note tone="danger" announce>
            {failure}
          </Note>
        )}
      </form>
    </Dialog>
  );
}
