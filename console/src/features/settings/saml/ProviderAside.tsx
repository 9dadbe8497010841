import { http } from '#/lib/http/client';
import { ValidationError } from '#/lib/http/errors';
import { useT } from '#/lib/i18n';
import type { FormValues } from '#/resource/define';
import { errorText } from '#/resource/form/values';
import { Button } from '#/ui/button';
import { Card } from '#/ui/card';
import { ResultNote } from '../ldap/ResultNote';
import { useAttempt } from '../ldap/use-attempt';
import { Addresses } from './Addresses';

const SENT = ['slug', 'metadata', 'idp_entity_id', 'sso_url', 'slo_url', 'certificates'] as const;

/** Checks the values of the form, saved or not. */
async function test(values: FormValues): Promise<string> {
  const body = Object.fromEntries(SENT.map((name) => [name, values[name] ?? '']));
  try {
    const path = 'authentication/saml-providers/test/';
    return (await http.post<{ msg: string }>(path, body, { quiet: true })).msg;
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw new Error(Object.values(error.fields).map(errorText).join(' '), { cause: error });
  }
}

/** Beside the form: what the provider wants to know of us, and the test. */
export function ProviderAside({
  values,
  id,
}: {
  readonly values: FormValues;
  readonly id: string | undefined;
}) {
  const t = useT();
  const { busy, result, run } = useAttempt();
  return (
    <div className="grid gap-4">
      <Card title={t('settings:mail_test.title')} aside={t('settings:mail_test.unsaved')}>
        <div className="grid gap-3">
          <p className="text-ink-2">{t('settings:saml.test_how')}</p>
          <div>
            <Button busy={busy} onClick={() => void run(() => test(values))}>
              {t('settings:openid.test')}
            </Button>
          </div>
          <ResultNote result={result} />
        </div>
      </Card>
      <Addresses slug={String(values['slug'] ?? '')} isSaved={id !== undefined} />
    </div>
  );
}
