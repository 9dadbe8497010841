import { ListChecks } from 'lucide-react';
import type { Api } from '#/lib/api-types';
import { defineResource } from '#/resource/define';
import { TimeCell } from '#/resource/format';
import { lazyPart } from '#/resource/lazy-part';
import { AppLink } from '#/ui/link';
import { Missing } from '#/ui/status';
import { executionPath, executionRoutes, taskPath, versionPath } from './addresses';
import { AmountsCell, LastedCell } from './amounts';
import { StateCell } from './state';

const ExecutionLead = lazyPart(async () => (await import('./ExecutionParts')).ExecutionLead);
const ExecutionHosts = lazyPart(async () => (await import('./ExecutionParts')).ExecutionHosts);
const ExecutionLog = lazyPart(async () => (await import('./ExecutionParts')).ExecutionLog);
const HostCards = lazyPart(async () => (await import('./ExecutionParts')).HostCards);

export type ExecutionRow = Pick<
  Api<'Execution'>,
  | 'id'
  | 'short_id'
  | 'task'
  | 'task_display'
  | 'adhoc'
  | 'adhoc_short_id'
  | 'hosts_amount'
  | 'stat'
  | 'state'
  | 'state_display'
  | 'timedelta'
  | 'date_start'
  | 'last_success'
  | 'last_failure'
>;

function Version({ row }: { readonly row: ExecutionRow }) {
  return row.adhoc ? (
    <AppLink to={versionPath(row.adhoc)} className="pt-link font-mono text-meta">
      {row.adhoc_short_id}
    </AppLink>
  ) : (
    <Missing />
  );
}

export const execution = defineResource<ExecutionRow, 'ops/adhoc-executions/'>({
  name: 'ExecutionListTable',
  api: 'ops/adhoc-executions/',
  routes: executionRoutes,
  icon: ListChecks,
  nameOf: (row) => row.short_id,
  noun: { one: 'jobs:execution.one', many: 'jobs:execution.many', what: 'jobs:execution.what' },
  can: { create: false, clone: false, update: () => false, delete: () => false, mayDelete: () => false },
  list: {
    columns: [
      {
        key: 'short_id',
        sortable: false,
        cell: (row) => (
          <AppLink to={executionPath(row.id)} className="pt-link font-mono text-meta">
            {row.short_id}
          </AppLink>
        ),
      },
      { key: 'date_start', sortable: false },
      { key: 'state', cell: (row) => <StateCell of={row} />, sortable: false },
      {
        key: 'stat',
        label: 'jobs:execution.stat',
        sortable: false,
        cell: (row) => <AmountsCell of={row.stat} />,
      },
      { key: 'timedelta', sortable: false, cell: (row) => <LastedCell seconds={row.timedelta} /> },
      { key: 'adhoc_short_id', sortable: false, cell: (row) => <Version row={row} /> },
      { key: 'created_by', sortable: false },
      'date_created',
      'org_name',
    ],
    shown: ['short_id', 'date_start', 'state', 'stat', 'timedelta', 'adhoc_short_id', 'created_by'],
    untyped: ['task', 'adhoc'],
    exchange: { import: false },
    next: { label: 'jobs:execution.next', to: '/ops/tasks' },
    phone: {
      icon: ListChecks,
      meta: (row) => <TimeCell value={row.date_start} />,
      status: (row) => <StateCell of={row} />,
    },
  },
  detail: {
    title: (row) => `${row.task_display} · ${row.short_id}`,
    backTo: (row) => (row.task === null ? '/ops/tasks' : `${taskPath(row.task)}?activeTab=executions`),
    lead: (row) => <ExecutionLead id={row.id} />,
    cards: [
      {
        title: 'resource:tab.basic',
        fields: [
          {
            key: 'task_display',
            value: (row) =>
              row.task === null ? (
                row.task_display
              ) : (
                <AppLink to={taskPath(row.task)}>{row.task_display}</AppLink>
              ),
          },
          { key: 'adhoc_short_id', value: (row) => <Version row={row} /> },
          'subject',
          'hosts_amount',
          { key: 'stat', label: 'jobs:execution.stat', value: (row) => <AmountsCell of={row.stat} /> },
          'created_by',
          'date_start',
          { key: 'timedelta', value: (row) => <LastedCell seconds={row.timedelta} /> },
        ],
      },
    ],
    side: (row) => <HostCards of={row} />,
    tabs: [
      {
        id: 'hosts',
        label: 'jobs:execution.hosts',
        count: (row) => row.hosts_amount,
        content: (row) => <ExecutionHosts id={row.id} />,
      },
      { id: 'log', label: 'jobs:execution.log', content: (row) => <ExecutionLog id={row.id} /> },
    ],
  },
});
