import { useNavigate, useSearch } from '@tanstack/react-router';
import { useT } from '#/lib/i18n';
import { ResourceList } from '#/resource/list/ResourceList';
import { PageHeader } from '#/ui/page';
import { Tabs } from '#/ui/tabs';
import { SERVICE_TAB } from './addresses';
import { PEOPLE, SERVICES } from './kinds';
import { serviceAccount } from './service-accounts/service-account.resource';
import { user } from './user.resource';

/** People, and service accounts. */
export function UserListPage() {
  const t = useT();
  const navigate = useNavigate();
  const address: Record<string, string> = useSearch({ strict: false });
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <PageHeader title={t('nav:user_list')} />
      <Tabs
        label={t('nav:user_list')}
        selected={address['activeTab'] === SERVICE_TAB ? SERVICE_TAB : 'people'}
        onSelect={(next) => void navigate({ to: '.', search: { activeTab: next }, resetScroll: false })}
        tabs={[
          {
            id: 'people',
            label: t('users:tab.people'),
            content: <ResourceList key="people" embedded addressed resource={user} query={PEOPLE} />,
          },
          {
            id: SERVICE_TAB,
            label: t('users:tab.services'),
            content: (
              <ResourceList
                key="services"
                embedded
                addressed
                title={t('users:tab.services')}
                resource={serviceAccount}
                query={SERVICES}
              />
            ),
          },
        ]}
      />
    </div>
  );
}
