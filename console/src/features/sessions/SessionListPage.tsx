import { useNavigate, useSearch } from '@tanstack/react-router';
import { useT } from '#/lib/i18n';
import { writeCookie } from '#/lib/storage';
import { RetentionTab } from '#/domain/retention/RetentionTab';
import { ResourceList } from '#/resource/list/ResourceList';
import { PageHeader } from '#/ui/page';
import { Tabs } from '#/ui/tabs';
import { OnlineSessions } from './OnlineSessions';
import { offlineSessions } from './session.resource';

const TABS = ['online', 'offline', 'retention'] as const;
const OFFLINE = { is_finished: '1' };

/** Running sessions, updated live, and finished sessions. */
export function SessionListPage() {
  const t = useT();
  const navigate = useNavigate();
  const address: Record<string, string> = useSearch({ strict: false });
  const tab = TABS.find((name) => name === address['activeTab']) ?? 'online';
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <PageHeader title={t('nav:session_list')} />
      <Tabs
        label={t('nav:session_list')}
        selected={tab}
        onSelect={(next) => {
          writeCookie('activeTab', next);
          void navigate({ to: '.', search: { activeTab: next }, replace: true, resetScroll: false });
        }}
        tabs={[
          { id: 'online', label: t('sessions:tab.online'), content: <OnlineSessions /> },
          {
            id: 'offline',
            label: t('sessions:tab.offline'),
            content: <ResourceList key="offline" embedded resource={offlineSessions} query={OFFLINE} />,
          },
          { id: 'retention', label: t('sessions:tab.retention'), content: <RetentionTab /> },
        ]}
      />
    </div>
  );
}
