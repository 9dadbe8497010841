import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useSearch } from '@tanstack/react-router';
import { useEffect } from 'react';
import { mayAskUnbidden } from '#/lib/http/asking';
import { useT } from '#/lib/i18n';
import { useMay } from '#/lib/session';
import { writeCookie } from '#/lib/storage';
import { ResourceList } from '#/resource/list/ResourceList';
import { PageHeader } from '#/ui/page';
import { Tabs } from '#/ui/tabs';
import { offlineSessions, onlineSessions, onlineSessionsReadOnly } from './session.resource';

const LIVE_EVERY_MS = 5_000;
const ONLINE = { is_finished: '0' };
const OFFLINE = { is_finished: '1' };

/** Sessions that run now, kept fresh, and those that are over. */
export function SessionListPage() {
  const t = useT();
  const mayTerminate = useMay('admin');
  const navigate = useNavigate();
  const address: Record<string, string> = useSearch({ strict: false });
  const tab = address['activeTab'] === 'offline' ? 'offline' : 'online';
  const client = useQueryClient();

  useEffect(() => {
    if (tab !== 'online') return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible' && mayAskUnbidden()) {
        void client.invalidateQueries({ queryKey: ['list', onlineSessions.api] });
      }
    }, LIVE_EVERY_MS);
    return () => clearInterval(timer);
  }, [client, tab]);

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
          {
            id: 'online',
            label: t('sessions:tab.online'),
            content: (
              <ResourceList
                key="online"
                embedded
                resource={mayTerminate ? onlineSessions : onlineSessionsReadOnly}
                query={ONLINE}
              />
            ),
          },
          {
            id: 'offline',
            label: t('sessions:tab.offline'),
            content: <ResourceList key="offline" embedded resource={offlineSessions} query={OFFLINE} />,
          },
        ]}
      />
    </div>
  );
}
