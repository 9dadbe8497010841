import { useQuery, useQueryClient } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import { useEffect, useState } from 'react';
import { mayAskUnbidden } from '#/lib/http/asking';
import { useT } from '#/lib/i18n';
import { followSessions } from '#/lib/live-sessions';
import { paths } from '#/lib/paths';
import { useSession } from '#/lib/session';
import { Button } from '#/ui/button';
import { Card } from '#/ui/card';
import { Segmented } from '#/ui/choice';
import { AppLink } from '#/ui/link';
import { PageHeader } from '#/ui/page';
import { Activity } from './Activity';
import { busyAssets, busyUsers, DASHBOARD, type Days, latest, needs, totals } from './api';
import { Busiest } from './Busiest';
import { Latest } from './Latest';
import { Loaded } from './Loaded';
import { Needs } from './Needs';
import { Shares } from './Shares';
import { Totals } from './Totals';

const PERIODS: readonly Days[] = [7, 30];
const THIRDS = { gridTemplateColumns: 'repeat(auto-fit, minmax(min(320px, 100%), 1fr))' };
/** What needs somebody comes first on a phone, and stands at the right on a wide screen. */
const DENSE = { gridAutoFlow: 'dense' };
const LAST_COLUMN = { gridColumn: '-2 / -1' };
/** News of sessions that come closer together are shown together. */
const TOGETHER_MS = 2_000;

/** Reloads what is live when the server says that sessions begin or end. Nothing is asked for otherwise. */
function useLiveFigures(): void {
  const client = useQueryClient();
  const organization = useSession().organization.id;
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const refresh = (): void => {
      timer = undefined;
      if (document.visibilityState !== 'visible' || !mayAskUnbidden()) return;
      for (const { queryKey } of [totals, latest, needs]) void client.invalidateQueries({ queryKey });
    };
    const leave = followSessions(organization, () => {
      timer ??= setTimeout(refresh, TOGETHER_MS);
    });
    return () => {
      leave();
      clearTimeout(timer);
    };
  }, [client, organization]);
}

/** Figures of the organization: what is there, what is online, and what happened in the last days. */
export function DashboardPage() {
  const t = useT();
  const client = useQueryClient();
  const [days, setDays] = useState<Days>(7);
  useLiveFigures();
  return (
    <>
      <PageHeader
        title={t('nav:dashboard')}
        actions={
          <>
            <Segmented
              label={t('dashboard:period')}
              options={PERIODS.map((count) => ({
                value: String(count),
                label: t('dashboard:days', { count }),
              }))}
              value={String(days)}
              onChange={(value) => setDays(value === '30' ? 30 : 7)}
            />
            <Button
              icon={RefreshCw}
              aria-label={t('dashboard:refresh')}
              onClick={() => void client.invalidateQueries({ queryKey: DASHBOARD })}
            />
          </>
        }
      />
      <div className="mt-3 grid gap-3">
        <Totals />
        <div className="grid items-start gap-3 lg:grid-cols-[minmax(0,1fr)_348px]" style={DENSE}>
          <div style={LAST_COLUMN}>
            <Needs />
          </div>
          <div className="grid gap-3">
            <Activity days={days} />
            <Shares days={days} />
          </div>
        </div>
        <div className="grid items-start gap-3" style={THIRDS}>
          <BusiestAssets days={days} />
          <BusiestUsers days={days} />
          <Latest />
        </div>
      </div>
    </>
  );
}

function BusiestAssets({ days }: { readonly days: Days }) {
  const t = useT();
  return (
    <Card title={t('dashboard:busiest_assets')} aside={t('dashboard:sessions')} actions={<All />} flush>
      <Loaded query={useQuery(busyAssets(days))}>
        {({ dates_login_times_top10_assets: rows }) => (
          <Busiest
            rows={rows.map(({ asset_id: id, asset: name, ...row }) => ({
              ...row,
              id,
              name,
              to: sessionsOf('asset_id', id),
            }))}
          />
        )}
      </Loaded>
    </Card>
  );
}

function BusiestUsers({ days }: { readonly days: Days }) {
  const t = useT();
  return (
    <Card title={t('dashboard:busiest_users')} aside={t('dashboard:sessions')} actions={<All />} flush>
      <Loaded query={useQuery(busyUsers(days))}>
        {({ dates_login_times_top10_users: rows }) => (
          <Busiest
            rows={rows.map(({ user_id: id, user: name, ...row }) => ({
              ...row,
              id,
              name,
              to: sessionsOf('user_id', id),
            }))}
          />
        )}
      </Loaded>
    </Card>
  );
}

function All() {
  const t = useT();
  return <AppLink to={paths.sessions('?activeTab=offline')}>{t('dashboard:all')}</AppLink>;
}

function sessionsOf(column: 'asset_id' | 'user_id', id: string): string {
  return paths.sessions(`?activeTab=offline&${column}=${encodeURIComponent(id)}`);
}
