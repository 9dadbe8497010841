import { CalendarSync, Power, PowerOff } from 'lucide-react';
import type { Api } from '#/lib/api-types';
import { http } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import { type ActionTools, defineResource, type ObjectAction } from '#/resource/define';
import { TextCell, TimeCell } from '#/resource/format';
import { Definitions } from '#/ui/card';
import { confirm } from '#/ui/confirm';
import { Status } from '#/ui/status';
import { toast } from '#/ui/toast';
import { visible } from '#/ui/visible-text';
import { periodicTaskRoutes } from '../addresses';
import { scheduleWords } from './schedule-words';

export type PeriodicTaskRow = Api<'PeriodicTask'>;

/** What the task does; a task of another release has no description. */
function purposeOf(row: PeriodicTaskRow): string {
  return row.description || row.name;
}

// i18n: periodic-tasks:off.*
// i18n: periodic-tasks:on.*
async function turn(row: PeriodicTaskRow, words: 'on' | 'off', tools: ActionTools): Promise<void> {
  const done = await confirm({
    title: translate(`periodic-tasks:${words}.question`),
    names: [purposeOf(row)],
    effect: translate(`periodic-tasks:${words}.effect`),
    confirmLabel: translate(`periodic-tasks:${words}.action`),
    danger: words === 'off',
    run: () => http.patch(`ops/celery/period-tasks/${row.id}/`, { enabled: words === 'on' }, { quiet: true }),
  });
  if (!done) return;
  toast({ tone: 'ok', text: translate(`periodic-tasks:${words}.done`) });
  tools.refresh();
}

const switches: readonly ObjectAction<PeriodicTaskRow>[] = [
  {
    id: 'off',
    label: 'periodic-tasks:off.action',
    icon: PowerOff,
    order: 1,
    isOffered: (row) => row.enabled,
    disabledReason: (row) => row.why_required || undefined,
    run: (row, tools) => turn(row, 'off', tools),
  },
  {
    id: 'on',
    label: 'periodic-tasks:on.action',
    icon: Power,
    order: 1,
    isOffered: (row) => !row.enabled,
    run: (row, tools) => turn(row, 'on', tools),
  },
];

/** On, always on, or off. */
function Standing({ row }: { readonly row: PeriodicTaskRow }) {
  if (!row.enabled) return <Status tone="warn">{translate('periodic-tasks:state.off')}</Status>;
  return (
    <Status tone="ok">
      {translate(row.why_required ? 'periodic-tasks:state.always' : 'periodic-tasks:state.on')}
    </Status>
  );
}

function LastRun({ row }: { readonly row: PeriodicTaskRow }) {
  if (!row.last_outcome) return <span className="text-ink-3">{translate('periodic-tasks:not_yet')}</span>;
  return <Status tone={row.last_outcome === 'failed' ? 'danger' : 'ok'}>{row.last_outcome_display}</Status>;
}

function Details({ row }: { readonly row: PeriodicTaskRow }) {
  return (
    <Definitions
      items={[
        ...(row.why_required
          ? [{ label: translate('periodic-tasks:why_required'), value: row.why_required }]
          : []),
        ...(row.last_error
          ? [
              {
                label: translate('periodic-tasks:error'),
                value: `${visible(row.last_error)}. ${translate('periodic-tasks:error_where')}`,
              },
            ]
          : []),
        { label: translate('periodic-tasks:name'), value: row.name },
        { label: translate('periodic-tasks:task'), value: <code>{row.task}</code> },
      ]}
    />
  );
}

export const periodicTask = defineResource<PeriodicTaskRow, 'ops/celery/period-tasks/'>({
  name: 'PeriodicTaskListTable',
  api: 'ops/celery/period-tasks/',
  routes: periodicTaskRoutes,
  icon: CalendarSync,
  nameOf: purposeOf,
  noun: { one: 'periodic-tasks:one', many: 'periodic-tasks:many', what: 'periodic-tasks:what' },
  shared: true,
  can: { create: false, clone: false, deleteMany: false },
  list: {
    columns: [
      {
        key: 'description',
        label: 'periodic-tasks:purpose',
        sortable: false,
        cell: (row) => <TextCell value={purposeOf(row)} />,
      },
      {
        key: 'enabled',
        label: 'periodic-tasks:standing',
        sortable: false,
        cell: (row) => <Standing row={row} />,
      },
      { key: 'interval_s', label: 'periodic-tasks:schedule', cell: (row) => scheduleWords(row.interval_s) },
      {
        key: 'last_outcome',
        label: 'periodic-tasks:last_outcome',
        sortable: false,
        cell: (row) => <LastRun row={row} />,
      },
      { key: 'last_run_at', cell: (row) => <TimeCell value={row.last_run_at} /> },
      { key: 'next_run_at', sortable: false, cell: (row) => <TimeCell value={row.next_run_at} /> },
      { key: 'total_run_count', align: 'right' },
      'name',
      'task',
    ],
    shown: ['description', 'enabled', 'interval_s', 'last_outcome', 'last_run_at', 'next_run_at'],
    rowActions: switches,
    details: (row) => <Details row={row} />,
    exchange: { export: false, import: false },
    isInactive: (row) => !row.enabled,
    phone: {
      icon: CalendarSync,
      meta: (row) => scheduleWords(row.interval_s),
      note: (row) => (
        <>
          <Standing row={row} />
          {row.next_run_at && (
            <span className="block">
              {translate('periodic-tasks:next')} <TimeCell value={row.next_run_at} />
            </span>
          )}
        </>
      ),
      status: (row) => <LastRun row={row} />,
    },
  },
});
