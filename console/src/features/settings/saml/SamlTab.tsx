import { useT } from '#/lib/i18n';
import { ResourceList } from '#/resource/list/ResourceList';
import { samlProvider } from './saml.resource';

/** The providers of SAML, in the order of the sign-in page. */
export function SamlTab() {
  const t = useT();
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <p className="max-w-[720px] text-ink-2">{t('settings:saml.intro')}</p>
      <ResourceList resource={samlProvider} embedded />
    </div>
  );
}
