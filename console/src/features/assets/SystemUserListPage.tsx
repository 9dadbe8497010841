import { useNavigate, useSearch } from '@tanstack/react-router';
import { useT } from '#/lib/i18n';
import { ResourceList } from '#/resource/list/ResourceList';
import { PageHeader } from '#/ui/page';
import { Tabs } from '#/ui/tabs';
import { ADMIN_TAB } from './addresses';
import { adminUser, COMMON, systemUser } from './system-user.resource';

/** Common system users, and admin users. */
export function SystemUserListPage() {
  const t = useT();
  const navigate = useNavigate();
  const address: Record<string, string> = useSearch({ strict: false });
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <PageHeader title={t('nav:system_user_list')} />
      <Tabs
        label={t('nav:system_user_list')}
        selected={address['activeTab'] === ADMIN_TAB ? ADMIN_TAB : 'common'}
        onSelect={(next) => void navigate({ to: '.', search: { activeTab: next }, resetScroll: false })}
        tabs={[
          {
            id: 'common',
            label: t('assets:tab.common_users'),
            content: <ResourceList key="common" embedded addressed resource={systemUser} query={COMMON} />,
          },
          {
            id: ADMIN_TAB,
            label: t('assets:tab.admin_users'),
            content: (
              <ResourceList
                key="admin"
                embedded
                addressed
                resource={adminUser}
                createQuery="?type=admin&protocol=ssh"
              />
            ),
          },
        ]}
      />
    </div>
  );
}
