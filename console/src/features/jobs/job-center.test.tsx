import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { afterEach, expect, test } from 'vitest';
import { hideJob, useShownJob } from '#/domain/jobs/shown-job';
import { ResourceDetail } from '#/resource/detail/ResourceDetail';
import { ResourceForm } from '#/resource/form/ResourceForm';
import { ResourceList } from '#/resource/list/ResourceList';
import { field, pageOf, recordedServer } from '#/test/recorded';
import { renderScreen } from '#/test/render';
import { execution } from './execution.resource';
import { task } from './task.resource';

const kinds = [
  { value: 'assets.test', display_name: 'Test connectivity' },
  { value: 'accounts.test', display_name: 'Test accounts' },
];
const written = {
  name: field('Name', { required: true }),
  kind: field('Work', { type: 'choice', choices: kinds }),
  node: field('Node', { type: 'field', write_only: true }),
  assets: field('Assets', { type: 'field', write_only: true }),
  system_users: field('System users', { type: 'field', write_only: true }),
  is_periodic: field('Periodic perform', { type: 'boolean' }),
  crontab: field('Regularly perform'),
  interval: field('Cycle perform', { type: 'integer', default: 24 }),
  comment: field('Comment'),
};
const metadata = { name: 'Task', actions: { GET: written, POST: written, PUT: written, PATCH: written } };

const latest = {
  id: 'e1',
  hosts_amount: 12,
  state: 'failed',
  state_display: 'Failed',
  stat: { total: 12, success: 2, failed: 10, pending: 0 },
  date_start: '2026/11/23 03:30:00 +0000',
  timedelta: 65,
  last_success: ['web-1', 'web-2'],
  last_failure: Object.fromEntries(
    Array.from({ length: 10 }, (_, number) => [
      `db-${number}`,
      { nightly: { msg: number === 0 ? 'No route' : 'Refused' } },
    ]),
  ),
};
const nightly = {
  id: 't1',
  name: 'nightly',
  kind: 'assets.test',
  kind_display: 'Test connectivity',
  subject: '/Default/rack',
  interval: 24,
  crontab: '30 3 * * *',
  is_periodic: true,
  date_due: '2026/11/24 03:30:00 +0000',
  next_runs: ['2026/11/24 03:30:00 +0000', '2026/11/25 03:30:00 +0000'],
  summary: { total: 5, success: 4, failed: 1 },
  latest_execution: latest,
  comment: '',
};
const idle = {
  ...nightly,
  id: 't2',
  name: 'idle',
  kind: '',
  is_periodic: false,
  crontab: null,
  date_due: null,
  next_runs: [],
  latest_execution: null,
};
const run = {
  ...latest,
  short_id: 'e1',
  task: 't1',
  task_display: 'nightly',
  adhoc: 'v1',
  adhoc_short_id: 'v1',
  subject: '/Default/rack',
};

const { server, sent } = recordedServer(
  () => [
    mock.options('*/api/v1/ops/*', () => HttpResponse.json(metadata)),
    mock.get('*/api/v1/ops/tasks/', () => HttpResponse.json(pageOf([nightly, idle]))),
    mock.get('*/api/v1/ops/tasks/:id/', ({ params }) =>
      HttpResponse.json(params['id'] === 't2' ? idle : nightly),
    ),
    mock.post('*/api/v1/ops/tasks/:id/run/', () => HttpResponse.json({ task: 'j1' })),
    mock.patch('*/api/v1/ops/tasks/:id/', () => HttpResponse.json(nightly)),
    mock.get('*/api/v1/ops/adhoc-executions/:id/', () => HttpResponse.json(run)),
    mock.get('*/api/v1/ops/celery/task/:id/result/', () =>
      HttpResponse.json({
        id: 'e1',
        title: 'Test connectivity',
        subject: '',
        state: 'failed',
        state_display: 'Failed',
        result: 'Assets: 12, succeeded: 2, failed: 10.',
        created_by: 'System',
        total: 12,
        done: 12,
        failed: 10,
        is_open: false,
        is_cancelling: false,
        date_start: null,
        date_finished: null,
      }),
    ),
  ],
  () => [import('./ExecutionParts'), import('./ExecutionsOf'), import('./VersionsOf')],
);

afterEach(hideJob);

test('[S2-112] the list shows runs, the last run and the schedule, and runs a task', async () => {
  await renderScreen(<ResourceList resource={task} />, { texts: ['jobs'] });
  const row = await screen.findByRole('row', { name: /nightly/ });
  expect(within(row).getByTitle('4 succeeded, 1 failed, 5 in all')).toBeDefined();
  expect(within(row).getByText('Failed')).toBeDefined();
  expect(within(row).getByText('30 3 * * *')).toBeDefined();
  expect(within(screen.getByRole('row', { name: /idle/ })).getByText('Only by hand')).toBeDefined();
  await userEvent.click(within(row).getByRole('button', { name: 'Run nightly' }));
  await waitFor(() => expect(useShownJob.getState().id).toBe('j1'));
  expect(sent('POST', 'ops/tasks/t1/run/')).toHaveLength(1);
});

test('a task without work cannot be run', async () => {
  await renderScreen(<ResourceDetail resource={task} />, {
    pattern: '/ops/tasks/$id',
    address: '/ops/tasks/t2',
    texts: ['jobs'],
  });
  await screen.findByRole('heading', { name: 'idle', level: 1 });
  const button = screen.getByRole('button', { name: 'Run' });
  expect(button.getAttribute('aria-disabled')).toBe('true');
  expect(button.title).toBe('This task has nothing to run.');
});

test('[S2-113] the page of a task shows the next runs and the hosts that failed, and switches the schedule', async () => {
  await renderScreen(<ResourceDetail resource={task} />, {
    pattern: '/ops/tasks/$id',
    address: '/ops/tasks/t1',
    texts: ['jobs'],
  });
  expect(await screen.findByText('Failed hosts (10)')).toBeDefined();
  expect(screen.getByText('No route')).toBeDefined();
  expect(screen.getByRole('link', { name: '2 more' }).getAttribute('href')).toContain(
    '/ops/executions/e1?activeTab=hosts',
  );
  expect(screen.getByText(/2026-11-25/)).toBeDefined();
  await userEvent.click(screen.getByRole('switch', { name: 'Runs by itself' }));
  await waitFor(() => expect(sent('PATCH', 'ops/tasks/t1/')[0]?.body).toEqual({ is_periodic: false }));
});

test('the form asks for what the chosen work is about', async () => {
  server.use(
    mock.post('*/api/v1/ops/tasks/', () => HttpResponse.json(nightly, { status: 201 })),
    mock.get('*/api/v1/assets/*', () => HttpResponse.json(pageOf([]))),
  );
  await renderScreen(<ResourceForm resource={task} mode="create" />, { texts: ['jobs'] });
  await userEvent.type(await screen.findByLabelText(/Name/), 'nightly');
  expect(screen.queryByText('Node')).toBeNull();
  await userEvent.click(screen.getByRole('radio', { name: 'Test connectivity' }));
  expect(screen.getByText('Node')).toBeDefined();
  expect(screen.queryByText('System users')).toBeNull();
  await userEvent.click(screen.getByRole('radio', { name: 'Test accounts' }));
  expect(screen.getByText('System users')).toBeDefined();
  expect(screen.queryByText('Node')).toBeNull();
});

test('[S2-115] the page of an execution shows its result and links to task and version', async () => {
  await renderScreen(<ResourceDetail resource={execution} />, {
    pattern: '/ops/executions/$id',
    address: '/ops/executions/e1',
    texts: ['jobs'],
  });
  expect(await screen.findByText('Assets: 12, succeeded: 2, failed: 10.')).toBeDefined();
  expect(screen.getByRole('link', { name: 'nightly' }).getAttribute('href')).toContain('/ops/tasks/t1');
  expect(screen.getByRole('link', { name: 'v1' }).getAttribute('href')).toContain('/ops/adhoc/v1');
  expect(screen.queryByRole('button', { name: 'Delete' })).toBeNull();
});
