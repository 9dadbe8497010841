import { GitCommitHorizontal } from 'lucide-react';
import type { Api } from '#/lib/api-types';
import { defineResource } from '#/resource/define';
import { TimeCell } from '#/resource/format';
import { lazyPart } from '#/resource/lazy-part';
import { AppLink } from '#/ui/link';
import { taskPath, versionPath, versionRoutes } from './addresses';

const ExecutionsOf = lazyPart(async () => (await import('./ExecutionsOf')).ExecutionsOf);
const HostCards = lazyPart(async () => (await import('./ExecutionParts')).HostCards);

type VersionRow = Pick<
  Api<'OneVersion'>,
  'id' | 'short_id' | 'task' | 'task_display' | 'tasks' | 'hosts_amount' | 'date_created' | 'run_as'
> & { readonly latest_execution?: Api<'OneVersion'>['latest_execution'] };

/** The names of the steps. */
function stepsOf(row: VersionRow): string {
  const steps: readonly unknown[] = Array.isArray(row.tasks) ? row.tasks : [];
  return steps
    .map((step) => (typeof step === 'object' && step !== null && 'name' in step ? String(step.name) : ''))
    .filter(Boolean)
    .join(', ');
}

export const version = defineResource<VersionRow, 'ops/adhoc/'>({
  name: 'TaskVersionListTable',
  api: 'ops/adhoc/',
  routes: versionRoutes,
  icon: GitCommitHorizontal,
  nameOf: (row) => row.short_id,
  noun: { one: 'jobs:version.one', many: 'jobs:version.many', what: 'jobs:version.what' },
  can: { create: false, clone: false, update: () => false, delete: () => false, mayDelete: () => false },
  list: {
    columns: [
      {
        key: 'short_id',
        sortable: false,
        cell: (row) => (
          <AppLink to={versionPath(row.id)} className="pt-link font-mono text-meta">
            {row.short_id}
          </AppLink>
        ),
      },
      { key: 'hosts_amount', align: 'right' },
      { key: 'pattern', sortable: false },
      { key: 'tasks', label: 'jobs:version.steps', sortable: false, cell: stepsOf },
      'run_as',
      'run_as_admin',
      { key: 'become_display', sortable: false },
      'created_by',
      'date_created',
    ],
    shown: ['short_id', 'hosts_amount', 'tasks', 'run_as', 'created_by', 'date_created'],
    untyped: ['task'],
    exchange: { export: false, import: false },
    next: { label: 'jobs:execution.next', to: '/ops/tasks' },
    phone: { icon: GitCommitHorizontal, meta: (row) => <TimeCell value={row.date_created} /> },
  },
  detail: {
    title: (row) => `${row.task_display} · ${row.short_id}`,
    backTo: (row) => `${taskPath(row.task)}?activeTab=versions`,
    cards: [
      {
        title: 'resource:tab.basic',
        fields: [
          {
            key: 'task_display',
            value: (row) => <AppLink to={taskPath(row.task)}>{row.task_display}</AppLink>,
          },
          { key: 'tasks', label: 'jobs:version.steps', value: stepsOf },
          'hosts_amount',
          'pattern',
          'options',
          'run_as',
          'run_as_admin',
          'become_display',
          'created_by',
          'date_created',
        ],
      },
    ],
    side: (row) => (row.latest_execution ? <HostCards of={row.latest_execution} /> : null),
    tabs: [
      {
        id: 'executions',
        label: 'jobs:execution.tab',
        content: (row) => <ExecutionsOf adhoc={row.id} />,
      },
    ],
  },
});
