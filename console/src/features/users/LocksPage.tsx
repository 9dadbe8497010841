import { type UseQueryResult, useQuery } from '@tanstack/react-query';
import { Globe, RefreshCw, User } from 'lucide-react';
import type { ReactNode } from 'react';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { translate, useT } from '#/lib/i18n';
import { useSession } from '#/lib/session';
import { MonoCell, TextCell, TimeCell } from '#/resource/format';
import { Button } from '#/ui/button';
import { Card } from '#/ui/card';
import { confirm } from '#/ui/confirm';
import { PageHeader } from '#/ui/page';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState } from '#/ui/states';
import { toast } from '#/ui/toast';
import { visible } from '#/ui/visible-text';
import {
  fetchLockedAddresses,
  fetchLockedPeople,
  type LockedAddress,
  type LockedPerson,
  unlockAddress,
  unlockPerson,
} from './locks-api';

/** One locked name or address: what it is, until when, and the unlock button. */
function LockRow({
  icon,
  name,
  until,
  unlockLabel,
  refusal,
  onUnlock,
}: {
  readonly icon: ReactNode;
  readonly name: ReactNode;
  readonly until: string;
  readonly unlockLabel: string;
  readonly refusal?: string;
  readonly onUnlock: () => void;
}) {
  const t = useT();
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line px-3.5 py-2.5 last:border-b-transparent">
      <span className="flex-none text-ink-3" aria-hidden>
        {icon}
      </span>
      <span className="min-w-0 grow basis-36 [overflow-wrap:anywhere]">
        <span className="block font-medium">{name}</span>
        <span className="block text-meta text-ink-3">
          {t('users:locks.until')} <TimeCell value={until} exact />
        </span>
      </span>
      <Button aria-label={unlockLabel} disabledReason={refusal} onClick={onUnlock} className="flex-none">
        {t('users:locks.unlock')}
      </Button>
    </li>
  );
}

/** The rows of a query, or the reason why there are none. */
function Rows<Row>({
  query,
  failed,
  empty,
  children,
}: {
  readonly query: UseQueryResult<readonly Row[]>;
  readonly failed: string;
  readonly empty: string;
  readonly children: (row: Row) => ReactNode;
}) {
  if (query.isPending)
    return (
      <div aria-busy="true">
        <SkeletonLines lines={2} />
      </div>
    );
  if (query.isError)
    return (
      <FailedState
        title={failed}
        message={explain(query.error)}
        requestId={requestIdOf(query.error)}
        onRetry={() => void query.refetch()}
      />
    );
  if (query.data.length === 0) return <p className="px-3.5 py-6 text-center text-ink-3">{empty}</p>;
  return <ul>{query.data.map(children)}</ul>;
}

function unlock(name: string, run: () => Promise<unknown>, reload: () => unknown, effect: string) {
  void confirm({
    title: translate('users:locks.question', { name }),
    effect,
    confirmLabel: translate('users:locks.unlock'),
    run: async () => {
      await run();
      toast({ tone: 'ok', text: translate('users:locks.unlocked', { name }) });
      await reload();
    },
  });
}

function People({
  query,
  everybody,
}: {
  readonly query: UseQueryResult<readonly LockedPerson[]>;
  readonly everybody: boolean;
}) {
  const t = useT();
  const me = useSession().profile.id;
  return (
    <Card title={t('users:locks.people')} aside={query.data?.length || undefined} flush>
      <Rows query={query} failed={t('users:locks.people_failed')} empty={t('users:locks.no_people')}>
        {(row) => {
          const name = visible(`${row.name} (${row.username})`);
          return (
            <LockRow
              key={row.id}
              icon={<User size={16} />}
              name={<TextCell value={name} />}
              until={row.date_locked_until}
              unlockLabel={t('users:locks.unlock_this', { name })}
              refusal={
                row.can_unlock ? undefined : t(row.id === me ? 'users:locks.own' : 'resource:not_allowed')
              }
              onUnlock={() =>
                unlock(
                  name,
                  () => unlockPerson(row.id, everybody),
                  query.refetch,
                  t('users:locks.person_effect'),
                )
              }
            />
          );
        }}
      </Rows>
    </Card>
  );
}

function Addresses({ query }: { readonly query: UseQueryResult<readonly LockedAddress[]> }) {
  const t = useT();
  return (
    <Card title={t('users:locks.addresses')} aside={query.data?.length || undefined} flush>
      <Rows query={query} failed={t('users:locks.addresses_failed')} empty={t('users:locks.no_addresses')}>
        {(row) => (
          <LockRow
            key={row.address}
            icon={<Globe size={16} />}
            name={<MonoCell value={row.address} />}
            until={row.date_locked_until}
            unlockLabel={t('users:locks.unlock_this', { name: visible(row.address) })}
            onUnlock={() =>
              unlock(
                visible(row.address),
                () => unlockAddress(row.address),
                query.refetch,
                t('users:locks.address_effect'),
              )
            }
          />
        )}
      </Rows>
    </Card>
  );
}

/** Names and addresses locked by failed sign-ins, until when, with buttons to unlock them. */
export function LocksPage() {
  const t = useT();
  const { profile, organization } = useSession();
  const everybody = profile.is_superuser;
  const people = useQuery({
    queryKey: ['locks', 'people', organization.id],
    queryFn: () => fetchLockedPeople(everybody),
  });
  const addresses = useQuery({
    queryKey: ['locks', 'addresses'],
    queryFn: fetchLockedAddresses,
    enabled: everybody,
  });
  const reload = () => {
    void people.refetch();
    if (everybody) void addresses.refetch();
  };
  return (
    <>
      <PageHeader
        title={t('nav:locks')}
        help={t('users:locks.what')}
        actions={
          <Button icon={RefreshCw} busy={people.isRefetching || addresses.isRefetching} onClick={reload}>
            {t('users:locks.reload')}
          </Button>
        }
      />
      <div className={`mt-3 grid grid-cols-1 items-start gap-3.5 ${everybody ? 'lg:grid-cols-2' : ''}`}>
        <People query={people} everybody={everybody} />
        {everybody && <Addresses query={addresses} />}
      </div>
    </>
  );
}
