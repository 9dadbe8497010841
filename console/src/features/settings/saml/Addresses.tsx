import { useT } from '#/lib/i18n';
import { CopyCell } from '#/resource/format';
import { Card } from '#/ui/card';
import { useSettings } from '../api';

/** What an administrator of the provider must enter there. The addresses begin with the address of the settings. */
export function Addresses({ slug, isSaved }: { readonly slug: string; readonly isSaved: boolean }) {
  const t = useT();
  const stored = useSettings().data?.values['SITE_URL'];
  const site = (typeof stored === 'string' ? stored : location.origin).replace(/\/$/, '');
  const own = `${site}/core/auth/saml/${slug}`;
  const items = [
    ['settings:saml.entity_id', `${own}/metadata/`],
    ['settings:saml.acs_url', `${own}/acs/`],
    ['settings:saml.logout_url', `${own}/logout/`],
  ] as const;
  return (
    <Card title={t('settings:openid.addresses')}>
      <p className="mb-2 text-ink-2">
        {t(slug === '' ? 'settings:openid.addresses_later' : 'settings:saml.addresses_how')}
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
      {isSaved && (
        <a
          className="mt-2 inline-block"
          href={`/core/auth/saml/${encodeURIComponent(slug)}/metadata/`}
          download
        >
          {t('settings:saml.own_metadata')}
        </a>
      )}
    </Card>
  );
}
