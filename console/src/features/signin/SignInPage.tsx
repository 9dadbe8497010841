import { type FormEvent, useRef, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { safeNext } from '#/lib/safe-next';
import { Button } from '#/ui/button';
import { Field, PasswordInput, TextInput } from '#/ui/field';
import { Note } from '#/ui/note';
import { usePageTitle } from '#/ui/page-title';
import { signIn } from './api';
import { SignInFrame } from './SignInFrame';

function nextFromAddress(): string | null {
  return safeNext(new URLSearchParams(location.search).get('next'));
}

export function SignInPage() {
  const t = useT();
  usePageTitle(t('signin:title'));
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const [missing, setMissing] = useState<{ username?: string; password?: string }>({});
  const username = useRef<HTMLInputElement>(null);
  const password = useRef<HTMLInputElement>(null);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (busy) return;
    const name = username.current?.value.trim() ?? '';
    const secret = password.current?.value ?? '';
    const required = t('signin:required');
    setMissing({ ...(name ? {} : { username: required }), ...(secret ? {} : { password: required }) });
    if (!name || !secret) {
      (name ? password : username).current?.focus();
      return;
    }
    setBusy(true);
    setFailure(null);
    try {
      const answer = await signIn(name, secret);
      const next = nextFromAddress() ?? safeNext(answer.next) ?? '/ui/';
      // A full load: the guard starts anew with the new session.
      location.assign(
        answer.must_change_password ? `/ui${paths.changePassword}?next=${encodeURIComponent(next)}` : next,
      );
    } catch (error) {
      setFailure(explain(error));
      setBusy(false);
      if (password.current) {
        password.current.value = '';
        password.current.focus();
      }
    }
  };

  return (
    <SignInFrame>
      <h1 className="text-figure">{t('signin:title')}</h1>
      <p className="mt-1 text-ink-2">{t('signin:hint')}</p>
      <form className="mt-6 grid gap-4" onSubmit={submit} noValidate aria-busy={busy}>
        {failure !== null && (
          <Note tone="danger" announce>
            {failure}
          </Note>
        )}
        <Field layout="above" label={t('signin:username')} error={missing.username}>
          {(control) => (
            <TextInput
              {...control}
              ref={username}
              name="username"
              autoComplete="username"
              autoCapitalize="none"
              className="pt-field-lg"
              // The page has one purpose: typing can start at once.
              autoFocus
            />
          )}
        </Field>
        <Field layout="above" label={t('signin:password')} error={missing.password}>
          {(control) => (
            <PasswordInput
              {...control}
              ref={password}
              name="password"
              autoComplete="current-password"
              className="pt-field-lg"
            />
          )}
        </Field>
        <Button kind="primary" size="lg" type="submit" busy={busy}>
          {t(busy ? 'signin:signing_in' : 'signin:title')}
        </Button>
      </form>
    </SignInFrame>
  );
}
