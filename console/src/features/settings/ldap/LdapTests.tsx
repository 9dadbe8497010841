import { useState } from 'react';
import { ValidationError } from '#/lib/http/errors';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Card } from '#/ui/card';
import { Field, PasswordInput, TextInput } from '#/ui/field';
import type { SettingsForm } from '../use-settings-form';
import { testConnection, testLogin } from './api';
import { ResultNote } from './ResultNote';
import { useAttempt } from './use-attempt';

const SENT = [
  'AUTH_LDAP_SERVER_URI',
  'AUTH_LDAP_START_TLS',
  'AUTH_LDAP_CA_CERTIFICATE',
  'AUTH_LDAP_BIND_DN',
  'AUTH_LDAP_BIND_PASSWORD',
  'AUTH_LDAP_SEARCH_OU',
  'AUTH_LDAP_SEARCH_FILTER',
  'AUTH_LDAP_USER_ATTR_MAP',
  'AUTH_LDAP_GROUP_BASE',
  'AUTH_LDAP_GROUP_FILTER',
] as const;

/** Reads the directory with the values of the form, saved or not. */
export function ConnectionTest({ settings }: { readonly settings: SettingsForm }) {
  const t = useT();
  const { busy, result, run } = useAttempt();
  const values = () => Object.fromEntries(SENT.map((name) => [name, settings.form.getValues(name)]));
  const markFields = (error: unknown) => {
    if (!(error instanceof ValidationError)) return;
    for (const [name, text] of Object.entries(error.fields)) {
      const message = Array.isArray(text) ? text.join(' ') : text;
      if (typeof message === 'string' && (SENT as readonly string[]).includes(name))
        settings.form.setError(name, { type: 'server', message });
    }
  };
  return (
    <Card title={t('settings:ldap.test.title')} aside={t('settings:mail_test.unsaved')}>
      <div className="grid gap-3">
        <p className="text-ink-2">{t('settings:ldap.test.how')}</p>
        <div>
          <Button busy={busy} onClick={() => void run(() => testConnection(values()), markFields)}>
            {t('settings:ldap.test.run')}
          </Button>
        </div>
        <ResultNote result={result} />
      </div>
    </Card>
  );
}

/** Tries a sign-in with the saved settings. */
export function LoginTest() {
  const t = useT();
  const { busy, result, run } = useAttempt();
  const [username, setUsername] = useState('');
  const [password, setPassword] = useState('');
  const submit = async () => {
    await run(() => testLogin(username, password));
    setPassword('');
  };
  return (
    <Card title={t('settings:ldap.login.title')}>
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        <p className="text-ink-2">{t('settings:ldap.login.how')}</p>
        <Field label={t('settings:ldap.login.username')} layout="above">
          {(control) => (
            <TextInput {...control} value={username} onChange={(event) => setUsername(event.target.value)} />
          )}
        </Field>
        <Field label={t('settings:ldap.login.password')} layout="above">
          {(control) => (
            <PasswordInput
              {...control}
              value={password}
              onChange={(event) => setPassword(event.target.value)}
            />
          )}
        </Field>
        <div>
          <Button type="submit" busy={busy} disabled={username === '' || password === ''}>
            {t('settings:ldap.login.run')}
          </Button>
        </div>
        <ResultNote result={result} />
      </form>
    </Card>
  );
}
