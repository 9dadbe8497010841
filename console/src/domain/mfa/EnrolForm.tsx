import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { copyText } from '#/ui/clipboard';
import { Field } from '#/ui/field';
import type { Enrolment } from './api';
import { CodeInput } from './CodeInput';
import { QrPicture } from './QrPicture';
import { useCodeForm } from './use-code-form';

/** Length of the groups in which the key is shown, so that a person can type it. */
export function grouped(secret: string): string {
  return secret.replace(/(.{4})(?=.)/g, '$1 ');
}

/** QR picture, key to type, and the first code of the app. `confirm` sends the code to the server. */
export function EnrolForm({
  enrolment,
  confirm,
  size = 'md',
}: {
  readonly enrolment: Enrolment;
  readonly confirm: (code: string) => Promise<void>;
  readonly size?: 'md' | 'lg';
}) {
  const t = useT();
  const { input, busy, problem, submit } = useCodeForm(confirm);

  return (
    <form className="grid gap-3" noValidate onSubmit={submit} aria-busy={busy}>
      <p className="text-ink-2">{t('mfa:enrol.scan')}</p>
      <QrPicture rows={enrolment.qr} label={t('mfa:enrol.picture')} />
      <div>
        <p className="text-ink-2">{t('mfa:enrol.type')}</p>
        <p className="mt-1 flex flex-wrap items-center gap-2">
          <code className="font-mono [overflow-wrap:anywhere]">{grouped(enrolment.secret)}</code>
          <Button size="sm" onClick={() => void copyText(enrolment.secret)}>
            {t('mfa:enrol.copy')}
          </Button>
        </p>
      </div>
      <Field
        layout="above"
        label={t('mfa:code.label')}
        help={t('mfa:enrol.first_code')}
        error={problem ?? undefined}
        required
      >
        {(control) => (
          <CodeInput
            {...control}
            ref={input}
            name="code"
            autoFocus
            className={size === 'lg' ? 'pt-field-lg' : ''}
          />
        )}
      </Field>
      <Button kind="primary" size={size} type="submit" busy={busy}>
        {t('mfa:enrol.submit')}
      </Button>
    </form>
  );
}
