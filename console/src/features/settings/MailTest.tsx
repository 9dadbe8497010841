import { useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { ValidationError } from '#/lib/http/errors';
import { useT } from '#/lib/i18n';
import type { FormValues } from '#/resource/define';
import { Button } from '#/ui/button';
import { Card } from '#/ui/card';
import { Note } from '#/ui/note';
import { testMail } from './api';
import type { SettingsForm } from './use-settings-form';

const SENT = [
  'EMAIL_HOST',
  'EMAIL_PORT',
  'EMAIL_HOST_USER',
  'EMAIL_HOST_PASSWORD',
  'EMAIL_FROM',
  'EMAIL_RECIPIENT',
  'EMAIL_USE_SSL',
  'EMAIL_USE_TLS',
] as const;

interface Result {
  readonly isOk: boolean;
  readonly text: string;
}

/** Sends a mail with the values of the form, saved or not. */
export function MailTest({ settings }: { readonly settings: SettingsForm }) {
  const t = useT();
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<Result | null>(null);
  const run = async () => {
    setBusy(true);
    setResult(null);
    const values: FormValues = Object.fromEntries(SENT.map((name) => [name, settings.form.getValues(name)]));
    try {
      setResult({ isOk: true, text: await testMail(values) });
    } catch (error) {
      if (error instanceof ValidationError) {
        for (const [name, text] of Object.entries(error.fields)) {
          if (typeof text === 'string' && name in values)
            settings.form.setError(name, { type: 'server', message: text });
        }
      }
      setResult({ isOk: false, text: explain(error) });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Card title={t('settings:mail_test.title')} aside={t('settings:mail_test.unsaved')}>
      <div className="grid gap-3">
        <p className="text-ink-2">{t('settings:mail_test.how')}</p>
        <div>
          <Button busy={busy} onClick={() => void run()}>
            {t('settings:mail_test.send')}
          </Button>
        </div>
        {result && (
          <Note tone={result.isOk ? 'ok' : 'danger'} announce>
            {result.text}
          </Note>
        )}
      </div>
    </Card>
  );
}
