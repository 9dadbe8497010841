import type { ReactNode } from 'react';
import { useT } from '#/lib/i18n';
import { CopyCell } from '#/resource/format';
import { Card } from '#/ui/card';
import { useSettings } from '../api';

interface AddressesCardProps {
  readonly slug: string;
  readonly how: string;
  /** The label and the path of each address. */
  readonly items: readonly (readonly [string, string])[];
  readonly children?: ReactNode;
}

/** What an administrator of the provider must enter there. The addresses begin with the address of the settings. */
export function AddressesCard({ slug, how, items, children }: AddressesCardProps) {
  const t = useT();
  const stored = useSettings().data?.values['SITE_URL'];
  const site = (typeof stored === 'string' ? stored : location.origin).replace(/\/$/, '');
  return (
    <Card title={t('settings:openid.addresses')}>
      <p className="mb-2 text-ink-2">{t(slug === '' ? 'settings:openid.addresses_later' : how)}</p>
      {slug !== '' && (
        <dl className="grid gap-2">
          {items.map(([label, path]) => (
            <div key={label}>
              <dt className="text-meta text-ink-3">{t(label)}</dt>
              <dd>
                <CopyCell value={`${site}${path}`} />
              </dd>
            </div>
          ))}
        </dl>
      )}
      {children}
    </Card>
  );
}
