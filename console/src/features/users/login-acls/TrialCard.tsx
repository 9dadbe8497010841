import { useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { http } from '#/lib/http/client';
import { type Translate, useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Card } from '#/ui/card';
import { DateTimeInput } from '#/ui/dates/DateTimeInput';
import { Field, TextInput } from '#/ui/field';
import { Note } from '#/ui/note';

interface Outcome {
  readonly is_admitted: boolean;
  readonly rule: string;
  readonly by_address: boolean;
  readonly by_time: boolean;
}

interface Result {
  readonly tone: 'ok' | 'danger';
  readonly text: string;
}

/** Why the rule decides so. */
function inWords(outcome: Outcome, t: Translate): string {
  const verdict = t(outcome.is_admitted ? 'users:acl.admitted' : 'users:acl.refused');
  if (outcome.rule === '') return t('users:acl.verdict', { verdict, reason: t('users:acl.because_none') });
  const address = t(outcome.by_address ? 'users:acl.address_fits' : 'users:acl.address_differs');
  const time = t(outcome.by_time ? 'users:acl.time_fits' : 'users:acl.time_differs');
  return t('users:acl.verdict', {
    verdict,
    reason: t('users:acl.because', { rule: outcome.rule, address, time }),
  });
}

/** Would this person get in from this address, at this time? Nothing is changed. */
export function TrialCard({ userId }: { readonly userId: string }) {
  const t = useT();
  const [address, setAddress] = useState('');
  const [date, setDate] = useState('');
  const [busy, setBusy] = useState(false);
  const [result, setResult] = useState<Result | null>(null);
  const ask = async () => {
    setBusy(true);
    setResult(null);
    try {
      const body = {
        user: userId,
        remote_addr: address.trim(),
        ...(date ? { date: new Date(date).toISOString() } : {}),
      };
      const outcome = await http.post<Outcome>('acls/login-acls/trial/', body, { quiet: true });
      setResult({ tone: outcome.is_admitted ? 'ok' : 'danger', text: inWords(outcome, t) });
    } catch (error) {
      setResult({ tone: 'danger', text: explain(error) });
    } finally {
      setBusy(false);
    }
  };
  return (
    <Card title={t('users:acl.trial')}>
      <form
        className="grid gap-3"
        onSubmit={(event) => {
          event.preventDefault();
          void ask();
        }}
      >
        <Field label={t('users:acl.trial_address')} required>
          {(control) => (
            <TextInput
              {...control}
              className="max-w-md font-mono"
              placeholder="192.0.2.10"
              value={address}
              onChange={(event) => setAddress(event.target.value)}
            />
          )}
        </Field>
        <Field label={t('users:acl.trial_date')} help={t('users:acl.trial_now')}>
          {(control) => <DateTimeInput {...control} kind="datetime" value={date} onChange={setDate} />}
        </Field>
        <div>
          <Button
            type="submit"
            busy={busy}
            disabledReason={address.trim() === '' ? t('users:acl.trial_empty') : undefined}
          >
            {t('users:acl.trial_do')}
          </Button>
        </div>
        {result && (
          <Note tone={result.tone} announce>
            {result.text}
          </Note>
        )}
      </form>
    </Card>
  );
}
