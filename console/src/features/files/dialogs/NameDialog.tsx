import { type FormEvent, useId, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Dialog } from '#/ui/dialog';
import { Field, TextInput } from '#/ui/field';

/** Asks for the name of a file or folder. `run` does what it is for; its failure is shown at the field. */
export function NameDialog({
  title,
  initial,
  confirmLabel,
  run,
  onClose,
}: {
  readonly title: string;
  readonly initial: string;
  readonly confirmLabel: string;
  readonly run: (name: string) => Promise<unknown>;
  readonly onClose: () => void;
}) {
  const t = useT();
  const form = useId();
  const [name, setName] = useState(initial);
  const [problem, setProblem] = useState<string>();
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (busy) return;
    if (name === '') {
      setProblem(t('files:name.missing'));
      return;
    }
    setBusy(true);
    try {
      await run(name);
      onClose();
    } catch (error) {
      setProblem(explain(error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen
      size="text"
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('ui:cancel')}</Button>
          <Button kind="primary" type="submit" form={form} busy={busy}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      <form id={form} noValidate onSubmit={(event) => void submit(event)}>
        <Field layout="above" label={t('files:name.name')} error={problem}>
          {(control) => (
            <TextInput
              {...control}
              // The dialog was opened to type into its field; the extension usually stays.
              autoFocus
              value={name}
              onFocus={({ target }) => {
                const dot = initial.lastIndexOf('.');
                target.setSelectionRange(0, dot > 0 ? dot : initial.length);
              }}
              onChange={(event) => setName(event.target.value)}
            />
          )}
        </Field>
      </form>
    </Dialog>
  );
}
