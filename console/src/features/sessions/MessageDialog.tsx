import { type FormEvent, useId, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { ValidationError } from '#/lib/http/errors';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Dialog } from '#/ui/dialog';
import { Field, TextInput } from '#/ui/field';
import { toast } from '#/ui/toast';
import { sendMessage, type SessionRow } from './api';

const MOST_CHARACTERS = 512;

/** Asks for a line of text that appears in the terminal of the session's user. */
export function MessageDialog({
  session,
  onClose,
}: {
  readonly session: SessionRow;
  readonly onClose: () => void;
}) {
  const t = useT();
  const form = useId();
  const [text, setText] = useState('');
  const [error, setError] = useState<string | undefined>();
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    if (text.trim() === '') {
      setError(t('resource:form.required'));
      return;
    }
    setBusy(true);
    try {
      await sendMessage(session.id, text.trim());
      toast({ tone: 'ok', text: t('sessions:message.done') });
      onClose();
    } catch (problem) {
      const marked = problem instanceof ValidationError ? problem.fields['message'] : undefined;
      setError(typeof marked === 'string' ? marked : explain(problem));
      setBusy(false);
    }
  };
  return (
    <Dialog
      isOpen
      size="text"
      title={t('sessions:message.title', { user: session.user })}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t('ui:cancel')}</Button>
          <Button kind="primary" type="submit" form={form} busy={busy}>
            {t('sessions:message.send')}
          </Button>
        </>
      }
    >
      <form id={form} onSubmit={(event) => void submit(event)} noValidate>
        <Field
          label={t('sessions:message.label')}
          help={t('sessions:message.help')}
          layout="above"
          error={error}
          required
        >
          {(control) => (
            // The dialog has one purpose, so its field takes the focus.
            <TextInput
              {...control}
              autoFocus
              maxLength={MOST_CHARACTERS}
              value={text}
              onChange={(event) => setText(event.target.value)}
            />
          )}
        </Field>
      </form>
    </Dialog>
  );
}
