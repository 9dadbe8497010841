import { type FormEvent, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { ValidationError } from '#/lib/http/errors';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Field, PasswordInput } from '#/ui/field';
import { Note } from '#/ui/note';
import { usePageTitle } from '#/ui/page-title';
import { setPassword } from './api';
import { SignInFrame } from './SignInFrame';

/** Target of a one-time link. The token is in the fragment, so that no server log contains it. */
export function SetPasswordPage() {
  const t = useT();
  usePageTitle(t('signin:set.title'));
  const [token] = useState(() => location.hash.slice(1));
  const [busy, setBusy] = useState(false);
  const [wrong, setWrong] = useState<{ new_password?: string; again?: string }>({});
  const [failure, setFailure] = useState<string | null>(null);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (busy) return;
    const data = new FormData(event.currentTarget);
    const password = String(data.get('new_password') ?? '');
    const again = String(data.get('again') ?? '');
    setFailure(null);
    if (password === '') {
      setWrong({ new_password: t('signin:required') });
      return;
    }
    if (password !== again) {
      setWrong({ again: t('signin:change.differs') });
      return;
    }
    setWrong({});
    setBusy(true);
    try {
      await setPassword(token, password);
      location.assign('/ui/login');
    } catch (error) {
      setBusy(false);
      const message = error instanceof ValidationError ? error.fields['new_password'] : undefined;
      if (typeof message === 'string') setWrong({ new_password: message });
      else setFailure(explain(error));
    }
  };

  if (token === '')
    return (
      <SignInFrame>
        <h1 className="mb-4 text-figure">{t('signin:set.title')}</h1>
        <Note tone="danger">{t('signin:set.no_token')}</Note>
      </SignInFrame>
    );
  return (
    <SignInFrame>
      <h1 className="text-figure">{t('signin:set.title')}</h1>
      <p className="mt-1 text-ink-2">{t('signin:set.why')}</p>
      <form className="mt-6 grid gap-4" onSubmit={submit} noValidate aria-busy={busy}>
        {failure !== null && (
          <Note tone="danger" announce>
            {failure}
          </Note>
        )}
        <Field layout="above" label={t('signin:change.new_password')} error={wrong.new_password}>
          {(control) => (
            <PasswordInput
              {...control}
              name="new_password"
              autoComplete="new-password"
              className="pt-field-lg"
            />
          )}
        </Field>
        <Field layout="above" label={t('signin:change.new_password_again')} error={wrong.again}>
          {(control) => (
            <PasswordInput {...control} name="again" autoComplete="new-password" className="pt-field-lg" />
          )}
        </Field>
        <Button kind="primary" size="lg" type="submit" busy={busy}>
          {t('signin:set.submit')}
        </Button>
      </form>
    </SignInFrame>
  );
}
