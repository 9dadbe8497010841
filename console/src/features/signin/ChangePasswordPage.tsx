import { type FormEvent, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { ValidationError } from '#/lib/http/errors';
import { useT } from '#/lib/i18n';
import { serverPaths } from '#/lib/paths';
import { safeNext } from '#/lib/safe-next';
import { AlsoEnd } from '#/domain/credentials/AlsoEnd';
import { Button } from '#/ui/button';
import { Field, PasswordInput } from '#/ui/field';
import { Note } from '#/ui/note';
import { usePageTitle } from '#/ui/page-title';
import { changePassword, type PasswordChange } from './api';
import { SignInFrame } from './SignInFrame';

const FIELDS = ['old_password', 'new_password', 'new_password_again'] as const;
type Errors = Partial<Record<(typeof FIELDS)[number], string>>;

/** The only screen for a session that must change its password. */
export function ChangePasswordPage() {
  const t = useT();
  usePageTitle(t('signin:change.title'));
  const [busy, setBusy] = useState(false);
  const [errors, setErrors] = useState<Errors>({});
  const [failure, setFailure] = useState<string | null>(null);
  const [end, setEnd] = useState<readonly string[]>([]);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    if (busy) return;
    const form = event.currentTarget;
    const data = new FormData(form);
    const typed = (name: (typeof FIELDS)[number]) => String(data.get(name) ?? '');
    const change: PasswordChange = {
      old_password: typed('old_password'),
      new_password: typed('new_password'),
      new_password_again: typed('new_password_again'),
      end,
    };
    const problems: Errors = {};
    for (const name of FIELDS) if (change[name] === '') problems[name] = t('signin:required');
    if (!problems.new_password_again && change.new_password !== change.new_password_again) {
      problems.new_password_again = t('signin:change.differs');
    }
    setErrors(problems);
    setFailure(null);
    const firstWrong = FIELDS.find((name) => problems[name]);
    if (firstWrong) {
      form.querySelector<HTMLInputElement>(`[name=${firstWrong}]`)?.focus();
      return;
    }
    setBusy(true);
    try {
      await changePassword(change);
      location.assign(safeNext(new URLSearchParams(location.search).get('next')) ?? '/ui/');
    } catch (error) {
      setBusy(false);
      if (error instanceof ValidationError) {
        const { fields } = error;
        const known: Errors = {};
        for (const name of FIELDS) if (typeof fields[name] === 'string') known[name] = fields[name];
        setErrors(known);
        if (Object.keys(known).length > 0) return;
      }
      setFailure(explain(error));
    }
  };

  // i18n: signin:change.*
  return (
    <SignInFrame>
      <h1 className="text-figure">{t('signin:change.title')}</h1>
      <p className="mt-1 text-ink-2">{t('signin:change.why')}</p>
      <form className="mt-6 grid gap-4" onSubmit={submit} noValidate aria-busy={busy}>
        {failure !== null && (
          <Note tone="danger" announce>
            {failure}
          </Note>
        )}
        {FIELDS.map((name) => (
          <Field key={name} layout="above" label={t(`signin:change.${name}`)} error={errors[name]}>
            {(control) => (
              <PasswordInput
                {...control}
                name={name}
                autoComplete={name === 'old_password' ? 'current-password' : 'new-password'}
                className="pt-field-lg"
              />
            )}
          </Field>
        ))}
        <AlsoEnd path="users/profile/credentials/" isOwn chosen={end} onChange={setEnd} layout="above" />
        <Button kind="primary" size="lg" type="submit" busy={busy}>
          {t('signin:change.submit')}
        </Button>
        <Button kind="text" size="lg" onClick={() => location.assign(`${serverPaths.logout}?next=/ui/`)}>
          {t('signin:change.sign_out')}
        </Button>
      </form>
    </SignInFrame>
  );
}
