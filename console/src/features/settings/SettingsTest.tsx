import { useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { ValidationError } from '#/lib/http/errors';
import { useT } from '#/lib/i18n';
import type { FormValues } from '#/resource/define';
import { Button } from '#/ui/button';
import { Card } from '#/ui/card';
import { Note } from '#/ui/note';
import type { SettingsForm } from './use-settings-form';

interface Result {
  readonly isOk: boolean;
  readonly text: string;
}

/** Tries the values of the form, saved or not. A refusal is shown here, not in a toast. */
export function SettingsTest({
  settings,
  names,
  how,
  label,
  test,
}: {
  readonly settings: SettingsForm;
  /** The settings that the test needs. */
  readonly names: readonly string[];
  readonly how: string;
  readonly label: string;
  readonly test: (values: FormValues) => Promise<string>;
}) {
  const t = useT();
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<Result | null>(null);
  /** Shows the reasons at their fields; false if none of them belongs to a field. */
  const markFields = (error: unknown) => {
    const reasons = error instanceof ValidationError ? Object.entries(error.fields) : [];
    const marked = reasons.filter(([name, text]) => typeof text === 'string' && names.includes(name));
    for (const [name, text] of marked)
      settings.form.setError(name, { type: 'server', message: String(text) });
    return marked.length > 0;
  };
  const run = async () => {
    setBusy(true);
    setResult(null);
    const values: FormValues = Object.fromEntries(names.map((name) => [name, settings.form.getValues(name)]));
    try {
      setResult({ isOk: true, text: await test(values) });
    } catch (error) {
      setResult({ isOk: false, text: markFields(error) ? t('settings:mail_test.marked') : explain(error) });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Card title={t('settings:mail_test.title')} aside={t('settings:mail_test.unsaved')}>
      <div className="grid gap-3">
        <p className="text-ink-2">{how}</p>
        <div>
          <Button busy={busy} onClick={() => void run()}>
            {label}
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
