import { CalendarClock, ListTodo, Play } from 'lucide-react';
import type { Api } from '#/lib/api-types';
import { http } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import { startJob } from '#/domain/jobs/shown-job';
import { assetOptions, nodeOptions, systemUserOptions } from '#/domain/remotes';
import { defineResource, type FieldContext, type ObjectAction } from '#/resource/define';
import { AmountCell, TimeCell } from '#/resource/format';
import { lazyPart } from '#/resource/lazy-part';
import { AppLink } from '#/ui/link';
import { Missing, Status } from '#/ui/status';
import { executionPath, taskRoutes } from './addresses';
import { AmountsCell, LastedCell } from './amounts';
import { StateCell } from './state';

const ExecutionsOf = lazyPart(async () => (await import('./ExecutionsOf')).ExecutionsOf);
const HostCards = lazyPart(async () => (await import('./ExecutionParts')).HostCards);
const VersionsOf = lazyPart(async () => (await import('./VersionsOf')).VersionsOf);

export type TaskRow = Pick<
  Api<'Task'>,
  | 'id'
  | 'name'
  | 'kind'
  | 'kind_display'
  | 'subject'
  | 'interval'
  | 'crontab'
  | 'is_periodic'
  | 'date_due'
  | 'summary'
  | 'latest_execution'
> & {
  readonly contents?: Api<'OneTask'>['contents'];
  readonly next_runs?: Api<'OneTask'>['next_runs'];
};

/** When the task runs by itself, in words. */
function scheduleOf(row: TaskRow): string {
  if (!row.is_periodic) return translate('jobs:task.by_hand');
  return row.crontab ? row.crontab : translate('jobs:task.every', { count: row.interval ?? 0 });
}

function run(row: TaskRow): Promise<void> {
  return startJob(`ops/tasks/${row.id}/run/`);
}

const nothing = (row: TaskRow) => (row.kind === '' ? translate('jobs:task.nothing') : undefined);

const runAction: ObjectAction<TaskRow> = {
  id: 'run',
  label: 'jobs:task.run',
  icon: Play,
  order: 5,
  disabledReason: nothing,
  run: async (row, tools) => {
    await run(row);
    tools.refresh();
  },
};

function Latest({ row }: { readonly row: TaskRow }) {
  const latest = row.latest_execution;
  return latest ? (
    <AppLink to={executionPath(latest.id)}>
      <StateCell of={latest} />
    </AppLink>
  ) : (
    <Missing />
  );
}

function NextRuns({ row }: { readonly row: TaskRow }) {
  const runs = row.next_runs ?? [];
  if (runs.length === 0) return <Missing />;
  return (
    <span className="grid gap-0.5">
      {runs.map((instant) => (
        <TimeCell key={instant} value={instant} exact />
      ))}
    </span>
  );
}

const isNew = ({ mode }: FieldContext) => mode === 'create';
const isAboutAssets = ({ values }: FieldContext) => String(values['kind'] ?? '').startsWith('assets.');
const isAboutAccounts = ({ values }: FieldContext) => String(values['kind'] ?? '').startsWith('accounts.');

export const task = defineResource<TaskRow, 'ops/tasks/'>({
  name: 'TaskListTable',
  api: 'ops/tasks/',
  routes: taskRoutes,
  icon: ListTodo,
  nameOf: (row) => row.name,
  noun: { one: 'jobs:task.one', many: 'jobs:task.many', what: 'jobs:task.what' },
  can: { delete: () => true, clone: false },
  list: {
    columns: [
      'name',
      { key: 'kind' },
      { key: 'subject', sortable: false },
      {
        key: 'summary',
        label: 'jobs:task.runs',
        sortable: false,
        cell: (row) => <AmountsCell of={row.summary} />,
      },
      {
        key: 'latest_execution.hosts_amount',
        label: 'jobs:task.hosts',
        align: 'right',
        sortable: false,
        cell: (row) =>
          row.latest_execution ? (
            <AmountCell
              value={row.latest_execution.hosts_amount}
              to={`${executionPath(row.latest_execution.id)}?activeTab=hosts`}
            />
          ) : (
            <Missing />
          ),
      },
      {
        key: 'latest_execution.is_success',
        label: 'jobs:task.latest',
        sortable: false,
        cell: (row) => <Latest row={row} />,
      },
      {
        key: 'latest_execution.date_start',
        label: 'jobs:task.date_start',
        sortable: false,
        cell: (row) => <TimeCell value={row.latest_execution?.date_start} />,
      },
      {
        key: 'latest_execution.timedelta',
        label: 'jobs:task.lasted',
        sortable: false,
        cell: (row) => <LastedCell seconds={row.latest_execution?.timedelta} />,
      },
      { key: 'is_periodic', label: 'jobs:task.schedule', cell: scheduleOf },
      { key: 'date_due', label: 'jobs:task.next_run' },
      'created_by',
      'date_created',
      'date_updated',
      'comment',
      'org_name',
    ],
    shown: [
      'name',
      'summary',
      'latest_execution.hosts_amount',
      'latest_execution.is_success',
      'latest_execution.date_start',
      'latest_execution.timedelta',
      'is_periodic',
      'date_due',
    ],
    rowActions: [runAction],
    exchange: { import: false },
    phone: {
      icon: ListTodo,
      meta: (row) => scheduleOf(row),
      status: (row) => <Latest row={row} />,
    },
  },
  form: {
    groups: (context) => [
      { title: 'jobs:task.form.basic', fields: ['name', 'comment'] },
      ...(isNew(context)
        ? [
            {
              title: 'jobs:task.form.work',
              fields: ['kind', 'node', 'system_users', 'assets'] as const,
            },
          ]
        : []),
      { title: 'jobs:task.form.schedule', fields: ['is_periodic', 'crontab', 'interval'] },
    ],
    initial: () => ({ interval: 24, is_periodic: false }),
    fields: {
      name: {},
      kind: { required: true },
      node: { remote: nodeOptions, isHidden: (context) => !isAboutAssets(context) },
      assets: {
        remote: assetOptions,
        multiple: true,
        isHidden: (context) => !isAboutAssets(context) && !isAboutAccounts(context),
        help: ({ values }) =>
          isAboutAccounts({ mode: 'create', values })
            ? 'jobs:task.form.assets_of_accounts'
            : 'jobs:task.form.assets',
      },
      system_users: {
        remote: { ...systemUserOptions, query: { protocol__in: 'ssh,rdp' } },
        multiple: true,
        isHidden: (context) => !isAboutAccounts(context),
      },
      is_periodic: { control: 'switch', label: 'jobs:task.periodic' },
      crontab: { label: 'jobs:task.form.crontab', placeholder: '30 3 * * 1-5' },
      interval: { label: 'jobs:task.form.interval' },
      comment: { control: 'textarea' },
    },
    toPayload: (values, { mode }) => {
      const { node, assets, system_users: users, ...rest } = values;
      if (mode === 'update') return rest;
      const about = { mode, values };
      return {
        ...rest,
        ...(isAboutAssets(about) && node ? { node } : {}),
        ...(assets ? { assets } : {}),
        ...(isAboutAccounts(about) ? { system_users: users } : {}),
      };
    },
    opensDetail: 'create',
  },
  detail: {
    status: (row) => (
      <Status tone={row.is_periodic ? 'ok' : 'unknown'}>
        {row.is_periodic ? translate('jobs:task.periodic') : translate('jobs:task.by_hand')}
      </Status>
    ),
    cards: [
      {
        title: 'resource:tab.basic',
        fields: [
          'name',
          'kind_display',
          'subject',
          { key: 'summary', label: 'jobs:task.runs', value: (row) => <AmountsCell of={row.summary} /> },
          {
            key: 'latest_execution.is_success',
            label: 'jobs:task.latest',
            value: (row) => <Latest row={row} />,
          },
          {
            key: 'latest_execution.date_start',
            label: 'jobs:task.date_start',
            value: (row) => <TimeCell value={row.latest_execution?.date_start} exact />,
          },
          {
            key: 'latest_execution.timedelta',
            label: 'jobs:task.lasted',
            value: (row) => <LastedCell seconds={row.latest_execution?.timedelta} />,
          },
          'created_by',
          'date_created',
          'comment',
        ],
      },
      {
        title: 'jobs:task.form.schedule',
        fields: [
          { key: 'is_periodic', label: 'jobs:task.schedule', value: scheduleOf },
          { key: 'date_due', label: 'jobs:task.next_runs', value: (row) => <NextRuns row={row} /> },
        ],
      },
    ],
    quick: [
      {
        id: 'run',
        label: 'jobs:task.run',
        icon: Play,
        state: () => translate('jobs:task.run_what'),
        disabledReason: nothing,
        control: {
          kind: 'button',
          label: 'jobs:task.run',
          run: async (row, tools) => {
            await run(row);
            tools.refresh();
          },
        },
      },
      {
        id: 'periodic',
        label: 'jobs:task.periodic',
        icon: CalendarClock,
        state: scheduleOf,
        control: {
          kind: 'switch',
          value: (row) => row.is_periodic,
          change: (row, on) => http.patch(`ops/tasks/${row.id}/`, { is_periodic: on }),
        },
      },
    ],
    side: (row) => (row.latest_execution ? <HostCards of={row.latest_execution} /> : null),
    tabs: [
      { id: 'versions', label: 'jobs:version.tab', content: (row) => <VersionsOf task={row.id} /> },
      {
        id: 'executions',
        label: 'jobs:execution.tab',
        count: (row) => row.summary.total,
        content: (row) => <ExecutionsOf task={row.id} />,
      },
    ],
  },
});
