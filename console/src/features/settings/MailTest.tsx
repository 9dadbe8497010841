import { useT } from '#/lib/i18n';
import { testMail } from './api';
import { SettingsTest } from './SettingsTest';
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

/** Sends a mail with the values of the form. */
export function MailTest({ settings }: { readonly settings: SettingsForm }) {
  const t = useT();
  return (
    <SettingsTest
      settings={settings}
      names={SENT}
      how={t('settings:mail_test.how')}
      label={t('settings:mail_test.send')}
      test={testMail}
    />
  );
}
