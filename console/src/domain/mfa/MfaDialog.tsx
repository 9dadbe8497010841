import { KeyRound } from 'lucide-react';
import { useId, useState } from 'react';
import { HttpError } from '#/lib/http/errors';
import { useT } from '#/lib/i18n';
import { showPasskey } from '#/domain/passkeys/ceremonies';
import { passkeyText } from '#/domain/passkeys/problem';
import { Button } from '#/ui/button';
import { Dialog } from '#/ui/dialog';
import { Field } from '#/ui/field';
import { Note } from '#/ui/note';
import { type SecondFactor, verifyCode } from './api';
import { CodeInput } from './CodeInput';
import { useCodeForm } from './use-code-form';

const PROFILE = '/ui/users/profile';

/** Shows a passkey, or says why that failed. */
function PasskeyPart({ onVerified }: { readonly onVerified: () => void }) {
  const t = useT();
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  const ask = async () => {
    setBusy(true);
    setProblem(null);
    try {
      await showPasskey('verify');
      onVerified();
    } catch (error) {
      setProblem(passkeyText(error));
      setBusy(false);
    }
  };
  return (
    <>
      {problem !== null && (
        <Note tone="danger" announce>
          {problem}
        </Note>
      )}
      <Button icon={KeyRound} busy={busy} onClick={() => void ask()}>
        {t(busy ? 'passkeys:waiting' : 'passkeys:use')}
      </Button>
    </>
  );
}

/** Asks for a passkey or a code of the authenticator app until the server accepts it or the person cancels. */
export function MfaDialog({
  has,
  onDone,
}: {
  /** What the person has; null: unknown. */
  readonly has: SecondFactor | null;
  readonly onDone: (verified: boolean) => void;
}) {
  const t = useT();
  const form = useId();
  const [unset, setUnset] = useState(false);
  const byPasskey = has !== null && has.passkeys > 0;
  const byCode = !byPasskey || has.is_set;
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
          {byCode && (
            <Button kind="primary" type="submit" form={form} busy={busy}>
              {t('ui:confirm')}
            </Button>
          )}
        </>
      }
    >
      <div className="grid gap-3">
        <p className="text-ink-2">{t(byCode ? 'mfa:dialog.why' : 'mfa:dialog.why_passkey')}</p>
        {byPasskey && <PasskeyPart onVerified={() => onDone(true)} />}
        {byCode && (
          <form id={form} className="grid gap-3" noValidate onSubmit={submit} aria-busy={busy}>
            <Field layout="above" label={t('mfa:code.label')} error={problem ?? undefined} required>
              {(control) => <CodeInput {...control} ref={input} name="code" autoFocus />}
            </Field>
            {unset && (
              <a className="pt-link" href={PROFILE}>
                {t('mfa:dialog.set_up')}
              </a>
            )}
          </form>
        )}
      </div>
    </Dialog>
  );
}
