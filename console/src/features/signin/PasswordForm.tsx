import { type FormEvent, useRef, useState } from 'react';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Field, PasswordInput, TextInput } from '#/ui/field';
import { refusal, signIn, type SignInAnswer } from './api';
import { CheckingStatus } from './CheckingStatus';

/** Asks for name and password. */
export function PasswordForm({
  isFirst,
  onAnswer,
  onFailure,
}: {
  /** It is the first way of the page, so its first field takes the focus. */
  readonly isFirst: boolean;
  readonly onAnswer: (answer: SignInAnswer) => void;
  readonly onFailure: (why: string | null) => void;
}) {
  const t = useT();
  const [busy, setBusy] = useState(false);
  const [checking, setChecking] = useState(false);
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
    onFailure(null);
    try {
      onAnswer(await signIn(name, secret, setChecking));
    } catch (error) {
      onFailure(refusal(error).text);
      setBusy(false);
      if (password.current) {
        password.current.value = '';
        password.current.focus();
      }
    }
  };

  return (
    <form className="mt-6 grid gap-4" onSubmit={submit} noValidate aria-busy={busy}>
      <Field layout="above" label={t('signin:username')} error={missing.username}>
        {(control) => (
          <TextInput
            {...control}
            ref={username}
            name="username"
            autoComplete="username"
            autoCapitalize="none"
            className="pt-field-lg"
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- the page has one purpose
            autoFocus={isFirst}
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
      <CheckingStatus checking={checking} />
      <Button kind="primary" size="lg" type="submit" busy={busy}>
        {checking ? t('signin:puzzle.checking') : t(busy ? 'signin:signing_in' : 'signin:title')}
      </Button>
    </form>
  );
}
