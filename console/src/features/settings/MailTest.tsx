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
const names: ReadonlySet<string> = new Set(SENT);

interface Result {
  readonly isOk: boolean;
  readonly text: string;
}

/** Sends a mail with the values of the form, saved or not. */
export function MailTest({ settings }: { readonly settings: SettingsForm }) {
  const t = useT();
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<Result | null>(null);
  /** Shows the reasons at their fields; false if none of them belongs to a field. */
  const markFields = (error: unknown) => {
    const reasons = error instanceof ValidationError ? Object.entries(error.fields) : [];
    const marked = reasons.filter(([name, text]) => typeof text === 'string' && names.has(name));
    for (const [name, text] of marked)
      settings.form.setError(name, { type: 'server', message: String(text) });
    return marked.length > 0;
  };
  const run = async () => {
    setBusy(true);
    setResult(null);
    const values: FormValues = Object.fromEntries(SENT.map((name) => [name, settings.form.getValues(name)]));
    try {
      setResult({ isOk: true, text: await testMail(values) });
    } catch (error) {
      setResult({ isOk: false, text: markFields(error) ? t('settings:mail_test.marked') : explain(error) });
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
