import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { expect, test } from 'vitest';
import { ResourceList } from '#/resource/list/ResourceList';
import { field, pageOf, recordedServer } from '#/test/recorded';
import { renderScreen } from '#/test/render';
import { periodicTask } from './periodic-task.resource';

const fields = {
  name: field('Name'),
  last_run_at: field('Last run', { type: 'datetime' }),
  next_run_at: field('Next run', { type: 'datetime' }),
  total_run_count: field('Runs', { type: 'integer' }),
};
const metadata = { name: 'Periodic task', actions: { GET: fields, PATCH: fields } };
const due = {
  id: 'p1',
  name: 'jobs: run due tasks',
  task: 'postern.jobs.run_due',
  interval_s: 20,
  enabled: true,
  description: 'Starts the tasks that are due.',
  why_required: '',
  last_run_at: '2026/11/23 03:30:00 +0000',
  last_outcome: 'failed',
  last_outcome_display: 'Failed',
  last_error: 'OperationalError',
  next_run_at: '2026/11/23 03:30:20 +0000',
  total_run_count: 7,
};
const sweep = {
  ...due,
  id: 'p2',
  name: 'sessions: withdrawn permissions',
  interval_s: 21_600,
  description: 'Ends sessions whose permission has ended.',
  why_required: 'Without it, sessions would go on.',
  last_outcome: '',
  last_outcome_display: '',
  last_error: '',
};
const off = {
  ...due,
  id: 'p3',
  interval_s: 86_400,
  enabled: false,
  description: 'Warns.',
  next_run_at: null,
};

const { sent } = recordedServer(() => [
  mock.options('*/api/v1/ops/celery/period-tasks/', () => HttpResponse.json(metadata)),
  mock.get('*/api/v1/ops/celery/period-tasks/', () => HttpResponse.json(pageOf([due, sweep, off]))),
  mock.patch('*/api/v1/ops/celery/period-tasks/:id/', () => HttpResponse.json(due)),
]);

async function rowOf(name: RegExp): Promise<HTMLElement> {
  return screen.findByRole('row', { name });
}

async function draw(): Promise<void> {
  await renderScreen(<ResourceList resource={periodicTask} />, { texts: ['periodic-tasks'] });
}

test('each row tells the schedule in words, the state and the outcome of the last run', async () => {
  await draw();
  const textOf = async (name: RegExp) => (await rowOf(name)).textContent;
  expect(await textOf(/Starts the tasks/)).toMatch(/On.*Every 20 seconds.*Failed/);
  expect(await textOf(/Ends sessions/)).toMatch(/Always on.*Every 6 hours.*Not run yet/);
  expect(await textOf(/Warns/)).toMatch(/Off.*Every day/);
});

test('a task is switched off after a question only', async () => {
  await draw();
  const row = await rowOf(/Starts the tasks/);
  await userEvent.click(within(row).getByRole('button', { name: /^Switch off/ }));
  const question = await screen.findByRole('alertdialog');
  expect(question.textContent).toContain('Starts the tasks that are due.');
  expect(sent('PATCH', 'ops/celery/period-tasks/p1/')).toHaveLength(0);
  await userEvent.click(within(question).getByRole('button', { name: 'Switch off' }));
  await waitFor(() =>
    expect(sent('PATCH', 'ops/celery/period-tasks/p1/')[0]?.body).toEqual({ enabled: false }),
  );
  await waitFor(() => expect(sent('GET', 'ops/celery/period-tasks/')).toHaveLength(2));
});

test('a task that is off can be switched on', async () => {
  await draw();
  const row = await rowOf(/Warns/);
  await userEvent.click(within(row).getByRole('button', { name: /^Switch on/ }));
  const question = await screen.findByRole('alertdialog');
  await userEvent.click(within(question).getByRole('button', { name: 'Switch on' }));
  await waitFor(() =>
    expect(sent('PATCH', 'ops/celery/period-tasks/p3/')[0]?.body).toEqual({ enabled: true }),
  );
});

test('a task that safety needs says why it stays on', async () => {
  await draw();
  const row = await rowOf(/Ends sessions/);
  const button = within(row).getByRole('button', { name: /^Switch off/ });
  expect(button.getAttribute('aria-disabled')).toBe('true');
  expect(button.title).toBe('Without it, sessions would go on.');
  await userEvent.click(button);
  expect(screen.queryByRole('alertdialog')).toBeNull();
});
