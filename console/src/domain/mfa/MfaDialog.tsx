import { type FormEvent, useId, useRef, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { HttpError } from '#/lib/http/errors';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Dialog } from '#/ui/dialog';
import { Field } from '#/ui/field';
import { cleanCode, hasCodeLength, verifyCode } from './api';
import { CodeInput } from './CodeInput';

const PROFILE = '/ui/users/profile';

/** Asks for a code of the authenticator app until the server takes one, or the person cancels. */
export function MfaDialog({ onDone }: { readonly onDone: (verified: boolean) => void }) {
  const t = useT();
  const form = useId();
  const input = useRef<HTMLInputElement>(null);
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const [unset, setUnset] = useState(false);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    const code = cleanCode(input.current?.value ?? '');
    if (!hasCodeLength(code)) {
      setProblem(t('mfa:error'));
      input.current?.focus();
      return;
    }
    setBusy(true);
    setProblem(null);
    try {
      await verifyCode(code);
      onDone(true);
    } catch (error) {
      setBusy(false);
      setUnset(error instanceof HttpError && error.code === 'mfa_unset');
      setProblem(explain(error));
      input.current?.select();
    }
  };

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
