import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { ListTree } from 'lucide-react';
import { http } from '#/lib/http/client';
import { useT } from '#/lib/i18n';
import { queryClient } from '#/lib/query';
import { useSession } from '#/lib/session';
import { defineResource } from '#/resource/define';
import { MonoCell, TimeCell } from '#/resource/format';
import { useDateRange } from '#/resource/list/DateRange';
import { besideList } from '#/resource/list/use-list';
import { useListState } from '#/resource/list/list-state';
import { ResourceList } from '#/resource/list/ResourceList';
import { useMetadata } from '#/resource/use-metadata';
import { Status } from '#/ui/status';
import { EventDetails, type EventRow } from './EventDetails';
import { VerificationStatus } from './VerificationStatus';

const API = 'audits/events/';
/** Default length of the date range, in days. */
const DAYS = 7;
const REFUSALS = 'refusals';

function Kind({ row }: { readonly row: EventRow }) {
  return row.category === REFUSALS ? <Status tone="danger">{row.event_display}</Status> : row.event_display;
}

const eventLog = defineResource<EventRow, 'audits/events/'>({
  name: 'AuditEventTable',
  api: API,
  routes: {
    names: { list: 'AuditEventList' },
    paths: { list: '/audits/events' },
    titles: { list: 'nav:audit_events' },
  },
  icon: ListTree,
  nameOf: (row) => `${row.event_display} ${row.resource_display}`,
  noun: { one: 'audits:event.one', many: 'audits:event.many', what: 'audits:event.what' },
  can: { create: false, deleteMany: false },
  list: {
    columns: [
      { key: 'datetime', cell: (row) => <TimeCell value={row.datetime} exact /> },
      { key: 'user', cell: (row) => row.user_display },
      { key: 'event', sortable: false, cell: (row) => <Kind row={row} /> },
      { key: 'category', sortable: false },
      { key: 'resource_type', cell: (row) => row.resource_type_display },
      { key: 'resource', cell: (row) => row.resource_display },
      { key: 'remote_addr', cell: (row) => <MonoCell value={row.remote_addr} /> },
      'org_name',
      {
        key: 'sequence',
        label: 'audits:event.place',
        cell: (row) => <MonoCell value={`#${row.sequence}`} />,
      },
    ],
    shown: ['datetime', 'user', 'event', 'resource_type', 'resource', 'remote_addr', 'sequence'],
    dateRangeDays: DAYS,
    details: (row) => <EventDetails row={row} />,
    phone: {
      icon: ListTree,
      meta: (row) => (
        <>
          <TimeCell value={row.datetime} exact />
          <span className="truncate">{row.user_display}</span>
        </>
      ),
    },
  },
});

interface CategoryCount {
  readonly value: string;
  readonly count: number;
  readonly count_is_minimum: boolean;
}

/** Number of events in each category that match the other conditions, as text: `41`, `999+`. */
function useCounts(filters: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const { category: _, ...others } = filters;
  const query = { ...others, ...useDateRange(DAYS).query };
  const { data = [] } = useQuery({
    queryKey: [...besideList(API), 'categories', query, useSession().organization.id],
    queryFn: () => http.get<readonly CategoryCount[]>(`${API}categories/`, { query, quiet: true }),
    placeholderData: keepPreviousData,
  });
  return Object.fromEntries(
    data.map(({ value, count, count_is_minimum }) => [value, `${count}${count_is_minimum ? '+' : ''}`]),
  );
}

/** The categories as buttons above the rows. They set the same condition as the search field. */
function CategoryStrip() {
  const t = useT();
  const { state, setFilters } = useListState(true);
  const choices = useMetadata(API, {}).data?.actions.GET?.['category']?.choices ?? [];
  const chosen = state.filters['category'] ?? '';
  const counts = useCounts(state.filters);
  const all = [{ value: '', display_name: t('audits:event.all') }, ...choices];
  return (
    <div
      role="group"
      aria-label={t('audits:event.category')}
      className="flex min-h-8 min-w-0 gap-1 overflow-x-auto pb-1 sm:flex-wrap"
    >
      {all.map(({ value, display_name }) => (
        <button
          key={String(value)}
          type="button"
          aria-pressed={chosen === value}
          className="min-h-7 flex-none rounded-2 border border-line bg-surface-1 px-2 whitespace-nowrap text-ink-2 hover:bg-hover hover:text-ink-1 aria-pressed:border-accent-line aria-pressed:bg-accent-soft aria-pressed:font-medium aria-pressed:text-ink-1"
          onClick={() => setFilters({ ...state.filters, category: String(value) })}
        >
          {display_name}
          {(counts[String(value)] ?? '0') !== '0' && (
            <span className="ml-1.5 text-meta text-ink-3 tabular-nums">{counts[String(value)]}</span>
          )}
        </button>
      ))}
    </div>
  );
}

/** A finished verification is itself an event, so the list is reloaded. */
function showNewEvents(): void {
  void queryClient.invalidateQueries({ queryKey: ['list', API] });
  void queryClient.invalidateQueries({ queryKey: besideList(API) });
}

/** Every event of the audit log. */
export function EventListPage() {
  const strip = (
    <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1.5">
      <CategoryStrip />
      <VerificationStatus onFinished={showNewEvents} />
    </div>
  );
  return <ResourceList resource={eventLog} strip={strip} />;
}
