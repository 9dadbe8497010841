import { useT } from '#/lib/i18n';
import { ResourceList } from '#/resource/list/ResourceList';
import { openidProvider } from './openid.resource';

/** The providers of OpenID Connect, in the order of the sign-in page. */
export function OpenidTab() {
  const t = useT();
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <p className="max-w-[720px] text-ink-2">{t('settings:openid.intro')}</p>
      <ResourceList resource={openidProvider} embedded />
    </div>
  );
}
