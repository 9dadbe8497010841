import { useT } from '#/lib/i18n';
import type { ProviderName } from '#/domain/external/providers';
import { type Loaded, testProvider } from './api';
import { SettingsTest } from './SettingsTest';
import type { SettingsForm } from './use-settings-form';

/** Asks a sign-in provider whether it accepts the application of the form. */
export function ProviderTest({
  provider,
  loaded,
  settings,
}: {
  readonly provider: ProviderName;
  readonly loaded: Loaded;
  readonly settings: SettingsForm;
}) {
  const t = useT();
  return (
    <SettingsTest
      settings={settings}
      names={loaded.settings.filter((one) => one.category === provider).map((one) => one.name)}
      how={t('settings:provider_test.how')}
      label={t('settings:provider_test.send')}
      test={(values) => testProvider(provider, values)}
    />
  );
}
