import { type FormEvent, useId, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Dialog } from '#/ui/dialog';
import { Field, TextInput } from '#/ui/field';

/** Asks for the name of a new or existing node. */
export function NodeNameDialog({
  start,
  title,
  save,
  onClose,
}: {
  readonly start: string;
  readonly title: string;
  readonly save: (value: string) => Promise<unknown>;
  readonly onClose: () => void;
}) {
  const t = useT();
  const form = useId();
  const [value, setValue] = useState(start);
  const [error, setError] = useState<string | undefined>();
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (value.trim() === '') {
      setError(t('resource:form.required'));
      return;
    }
    setBusy(true);
    try {
      await save(value.trim());
      onClose();
    } catch (problem) {
      setError(explain(problem));
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
            {t('resource:form.save')}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={submit} noValidate>
        <Field label={t('assets:node.name')} layout="above" error={error} required>
          {(control) => (
            // The dialog has one purpose, so its field takes the focus.
            <TextInput
              {...control}
              autoFocus
              value={value}
              onChange={(event) => setValue(event.target.value)}
            />
          )}
        </Field>
      </form>
    </Dialog>
  );
}
