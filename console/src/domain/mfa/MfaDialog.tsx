import { useId, useState } from 'react';
import { HttpError } from '#/lib/http/errors';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Dialog } from '#/ui/dialog';
import { Field } from '#/ui/field';
import { verifyCode } from './api';
import { CodeInput } from './CodeInput';
import { useCodeForm } from './use-code-form';

const PROFILE = '/ui/users/profile';

/** Asks for a code of the authenticator app until the server accepts it or the person cancels. */
export function MfaDialog({ onDone }: { readonly onDone: (verified: boolean) => void }) {
  const t = useT();
  const form = useId();
  const [unset, setUnset] = useState(false);
  const { input, busy, problem, submit } = useCodeForm(
    async (code) => {
      await verifyCode(code);
      onDone(true);
    },
    (error) => setUnset(error instanceof HttpError && error.code === 'mfa_unset'),
  );

  return (
    <Dialog
      isOpen
      size="text"
      title={t('mfa:dialog.title')}
      onClose={() => onDone(false)}
      footer={
        <>
          <Button onClick={() => onDone(false)}>{t('ui:cancel')}</Button>
          <Button kind="primary" type="submit" form={form} busy={busy}>
            {t('ui:confirm')}
          </Button>
        </>
      }
    >
      <form id={form} className="grid gap-3" noValidate onSubmit={submit} aria-busy={busy}>
        <p className="text-ink-2">{t('mfa:dialog.why')}</p>
        <Field layout="above" label={t('mfa:code.label')} error={problem ?? undefined} required>
          {(control) => <CodeInput {...control} ref={input} name="code" autoFocus />}
        </Field>
        {unset && (
          <a className="pt-link" href={PROFILE}>
            {t('mfa:dialog.set_up')}
          </a>
        )}
      </form>
    </Dialog>
  );
}
