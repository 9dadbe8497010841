import { useT } from '#/lib/i18n';
import { CopyCell } from '#/resource/format';
import { Card } from '#/ui/card';
import { useSettings } from '../api';

const LOGIN = '/core/auth/login/';

/** The addresses that an administrator of the provider must enter there. They begin with the address of the settings. */
export function Addresses({ slug }: { readonly slug: string }) {
  const t = useT();
  const stored = useSettings().data?.values['SITE_URL'];
  const site = (typeof stored === 'string' ? stored : location.origin).replace(/\/$/, '');
  const own = `${site}/core/auth/openid/${slug}`;
  const items = [
    ['settings:openid.redirect_uri', `${own}/callback/`],
    ['settings:openid.logout_uri', `${site}${LOGIN}`],
    ['settings:openid.back_channel_uri', `${own}/back-channel-logout/`],
  ] as const;
  return (
    <Card title={t('settings:openid.addresses')}>
      <p className="mb-2 text-ink-2">
        {t(slug === '' ? 'settings:openid.addresses_later' : 'settings:openid.addresses_how')}
      </p>
      {slug !== '' && (
        <dl className="grid gap-2">
          {items.map(([label, address]) => (
            <div key={label}>
              <dt className="text-meta text-ink-3">{t(label)}</dt>
              <dd>
                <CopyCell value={address} />
              </dd>
            </div>
          ))}
        </dl>
      )}
    </Card>
  );
}
