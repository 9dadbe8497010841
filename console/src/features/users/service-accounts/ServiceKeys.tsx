import { useMemo } from 'react';
import { useT } from '#/lib/i18n';
import { ResourceList } from '#/resource/list/ResourceList';
import { serviceKey } from './service-key.resource';

/** The access keys of a service account, which administrators make. */
export function ServiceKeys({ account }: { readonly account: { readonly id: string } }) {
  const t = useT();
  const query = useMemo(() => ({ user: account.id }), [account.id]);
  return (
    <div className="flex flex-col gap-4">
      <p className="text-ink-2">{t('users:key.about')}</p>
      <ResourceList
        resource={serviceKey}
        title={t('users:tab.keys')}
        query={query}
        createQuery={`?user=${account.id}`}
        embedded
      />
    </div>
  );
}
