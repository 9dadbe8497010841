import { type FormEvent, useState } from 'react';
import { useT } from '#/lib/i18n';
import { serverPaths } from '#/lib/paths';
import { Button } from '#/ui/button';
import { Field, TextInput } from '#/ui/field';
import { Note } from '#/ui/note';
import { usePageTitle } from '#/ui/page-title';
import { forgotPassword, refusal } from './api';
import { CheckingStatus } from './CheckingStatus';
import { SignInFrame } from './SignInFrame';

/** Asks for a link by mail. The answer does not say whether the account exists. */
export function ForgotPasswordPage() {
  const t = useT();
  usePageTitle(t('signin:mail_link.title'));
  const [busy, setBusy] = useState(false);
  const [checking, setChecking] = useState(false);
  const [missing, setMissing] = useState<string | undefined>();
  const [failure, setFailure] = useState<string | null>(null);
  const [answer, setAnswer] = useState<string | null>(null);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (busy) return;
    const name = String(new FormData(event.currentTarget).get('username') ?? '').trim();
    setFailure(null);
    setMissing(name === '' ? t('signin:required') : undefined);
    if (name === '') return;
    setBusy(true);
    try {
      setAnswer(await forgotPassword(name, setChecking));
    } catch (error) {
      setFailure(refusal(error).text);
    } finally {
      setBusy(false);
    }
  };

  return (
    <SignInFrame>
      <h1 className="text-figure">{t('signin:mail_link.title')}</h1>
      {answer === null ? (
        <>
          <p className="mt-1 text-ink-2">{t('signin:mail_link.why')}</p>
          <form className="mt-6 grid gap-4" onSubmit={submit} noValidate aria-busy={busy}>
            {failure !== null && (
              <Note tone="danger" announce>
                {failure}
              </Note>
            )}
            <Field layout="above" label={t('signin:mail_link.name')} error={missing}>
              {(control) => (
                <TextInput
                  {...control}
                  name="username"
                  maxLength={1024}
                  autoComplete="username"
                  autoCapitalize="none"
                  className="pt-field-lg"
                  // The page has one purpose, so its only field takes the focus.
                  autoFocus
                />
              )}
            </Field>
            <CheckingStatus checking={checking} />
            <Button kind="primary" size="lg" type="submit" busy={busy}>
              {t(checking ? 'signin:puzzle.checking' : 'signin:mail_link.submit')}
            </Button>
          </form>
        </>
      ) : (
        <div className="mt-4">
          <Note tone="info" announce>
            {answer}
          </Note>
        </div>
      )}
      <p className="mt-4">
        <a href={serverPaths.login} className="pt-link">
          {t('signin:mail_link.back')}
        </a>
      </p>
    </SignInFrame>
  );
}
