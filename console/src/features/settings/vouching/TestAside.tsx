import type { ReactNode } from 'react';
import { http } from '#/lib/http/client';
import { ValidationError } from '#/lib/http/errors';
import { useT } from '#/lib/i18n';
import { errorText } from '#/resource/form/values';
import { Button } from '#/ui/button';
import { Card } from '#/ui/card';
import { ResultNote } from '../ldap/ResultNote';
import { useAttempt } from '../ldap/use-attempt';

/** Tries the values of the form, saved or not. */
async function test(path: string, body: Readonly<Record<string, unknown>>): Promise<string> {
  try {
    return (await http.post<{ msg: string }>(path, body, { quiet: true })).msg;
  } catch (error) {
    if (!(error instanceof ValidationError)) throw error;
    throw new Error(Object.values(error.fields).map(errorText).join(' '), { cause: error });
  }
}

interface TestAsideProps {
  readonly how: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
  /** What the provider wants to know of us. */
  readonly children: ReactNode;
}

/** Beside the form: the test, and what the provider wants to know of us. */
export function TestAside({ how, path, body, children }: TestAsideProps) {
  const t = useT();
  const { busy, result, run } = useAttempt();
  return (
    <div className="grid gap-4">
      <Card title={t('settings:mail_test.title')} aside={t('settings:mail_test.unsaved')}>
        <div className="grid gap-3">
          <p className="text-ink-2">{t(how)}</p>
          <div>
            <Button busy={busy} onClick={() => void run(() => test(path, body))}>
              {t('settings:openid.test')}
            </Button>
          </div>
          <ResultNote result={result} />
        </div>
      </Card>
      {children}
    </div>
  );
}
