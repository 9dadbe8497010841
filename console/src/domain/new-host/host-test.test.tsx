import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { hideJob, useShownJob } from '#/domain/jobs/shown-job';
import { renderScreen } from '#/test/render';
import { afterReaching, afterSigningIn, brokenOff, STARTED } from './host-test';
import { NewHostForm } from './NewHostForm';

const outcome = (
  result: 'done' | 'unreachable' | 'host_key_refused' | 'credential_refused',
  message = '',
) => ({
  result,
  result_display: result,
  message,
  username: 'deploy',
});
const KEY = { key_type: 'ssh-ed25519', fingerprint: 'SHA256:abc' };

describe('what a test of a host says', () => {
  test('a host that is not reached is not asked for anything else', () => {
    const state = afterReaching(outcome('unreachable', 'connection refused'));
    expect(state).toMatchObject({
      phase: 'failed',
      advice: 'address',
      steps: { reach: { state: 'failed', text: 'connection refused' }, account: { state: 'skipped' } },
    });
  });

  test('a refused secret still shows that the host was reached, and its key', () => {
    expect(afterSigningIn(outcome('credential_refused', 'no'), KEY)).toMatchObject({
      phase: 'failed',
      advice: 'account',
      steps: {
        reach: { state: 'ok' },
        key: { state: 'ok', text: 'ssh-ed25519 SHA256:abc' },
        account: { state: 'failed', text: 'no' },
      },
    });
  });

  test('another host key stops the test before a secret is sent', () => {
    expect(afterSigningIn(outcome('host_key_refused', 'other key'), KEY)).toMatchObject({
      advice: 'key',
      steps: { reach: { state: 'ok' }, key: { state: 'failed' }, account: { state: 'skipped' } },
    });
  });

  test('a test that cannot be carried out fails at the step that was running', () => {
    expect(brokenOff(STARTED, 'no connection').steps.reach).toEqual({
      state: 'failed',
      text: 'no connection',
    });
    const later = brokenOff(afterReaching(outcome('done')), 'no connection');
    expect([later.steps.reach.state, later.steps.key.state, later.steps.account.state]).toEqual([
      'ok',
      'failed',
      'skipped',
    ]);
  });
});

describe('the form of a new host with its test', () => {
  const server = setupServer();
  const calls: { method: string; path: string; body: unknown }[] = [];
  beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
  afterEach(() => {
    server.resetHandlers();
    calls.length = 0;
  });
  afterAll(() => server.close());

  /** Answers with these outcomes, job by job. */
  async function form(outcomes: ReturnType<typeof outcome>[]) {
    let jobs = 0;
    const note = async (request: Request) => {
      const path = new URL(request.url).pathname.replace('/api/v1/', '');
      calls.push({ method: request.method, path, body: await request.json() });
    };
    server.use(
      mock.get('*/api/v1/assets/system-users/', () => HttpResponse.json({ count: 0, results: [] })),
      mock.post('*/api/v1/common/resources/cache/', () => HttpResponse.json({ spm: 'spm-1' })),
      mock.get('*/api/v1/users/*', () => HttpResponse.json({ count: 0, results: [] })),
      mock.post('*/api/v1/perms/new-hosts/', async ({ request }) => {
        await note(request);
        return HttpResponse.json({ asset: 'a1', system_user: 's1', permission: null }, { status: 201 });
      }),
      mock.patch('*/api/v1/assets/*', async ({ request }) => {
        await note(request);
        return HttpResponse.json({});
      }),
      mock.post('*/api/v1/assets/assets/a1/tasks/', async ({ request }) => {
        await note(request);
        jobs += 1;
        return HttpResponse.json({ task: `job-${jobs}` }, { status: 201 });
      }),
      mock.get('*/api/v1/ops/celery/task/:id/result/', () =>
        HttpResponse.json({ is_open: false, state: 'succeeded', result: '' }),
      ),
      mock.get('*/api/v1/ops/adhoc-executions/:id/hosts/', ({ params }) =>
        HttpResponse.json([outcomes[Number(String(params['id']).slice(4)) - 1]]),
      ),
      mock.get('*/api/v1/assets/host-keys/', () => HttpResponse.json([KEY])),
    );
    const onAdded = vi.fn();
    const run = vi.fn();
    await renderScreen(
      <NewHostForm onAdded={onAdded} onward={{ label: 'Go on', untested: 'Anyway', run }} />,
      { texts: ['new-host'] },
    );
    await userEvent.type(await screen.findByRole('textbox', { name: /^Address/ }), '192.0.2.1');
    await userEvent.type(screen.getByRole('textbox', { name: /^Username/ }), 'deploy');
    await userEvent.type(screen.getByLabelText(/Password/, { selector: 'input[type=password]' }), 'wrong');
    return { onAdded, run };
  }

  test('reached, key seen, signed in; then it goes on', async () => {
    const { onAdded, run } = await form([outcome('done'), outcome('done')]);
    await userEvent.click(screen.getByRole('button', { name: 'Add and test' }));
    const panel = await screen.findByRole('region', { name: 'Test of 192.0.2.1' });
    expect(await within(panel).findByText('Signed in as')).toBeTruthy();
    expect(
      within(panel)
        .getAllByRole('listitem')
        .map((item) => item.textContent),
    ).toEqual(['Reached', 'Host key seen and storedssh-ed25519 SHA256:abc', 'Signed in asdeploy']);
    expect(calls.map(({ body }) => body).slice(1)).toEqual([
      { action: 'test' },
      { action: 'test_system_user', system_users: ['s1'] },
    ]);
    await userEvent.click(screen.getByRole('button', { name: 'Go on' }));
    expect(run).toHaveBeenCalledWith({ asset: 'a1', system_user: 's1', permission: null });
    expect(onAdded).not.toHaveBeenCalled();
  });

  test('a refused password keeps the values; only what was corrected is saved, and the host is tested again', async () => {
    await form([
      outcome('done'),
      outcome('credential_refused', 'permission denied'),
      outcome('done'),
      outcome('done'),
    ]);
    await userEvent.click(screen.getByRole('button', { name: 'Add and test' }));
    expect(await screen.findByText('permission denied')).toBeTruthy();
    expect(screen.getByRole('textbox', { name: /^Address/ })).toHaveProperty('value', '192.0.2.1');
    const password = screen.getByLabelText(/Password/, { selector: 'input[type=password]' });
    await userEvent.clear(password);
    await userEvent.type(password, 'right');
    calls.length = 0;
    await userEvent.click(screen.getByRole('button', { name: 'Save and test again' }));
    expect(await screen.findByText('Signed in as')).toBeTruthy();
    expect(calls.slice(0, 2)).toEqual([
      {
        method: 'PATCH',
        path: 'assets/system-users/s1/',
        body: { name: 'deploy', username: 'deploy', password: 'right' },
      },
      { method: 'POST', path: 'assets/assets/a1/tasks/', body: { action: 'test' } },
    ]);
  });

  test('after a failure the log of the job and the host are one click away', async () => {
    await form([outcome('done'), outcome('host_key_refused', 'other key')]);
    await userEvent.click(screen.getByRole('button', { name: 'Add and test' }));
    expect(await screen.findByText('other key')).toBeTruthy();
    const host = screen.getByRole('link', { name: 'Open the host' });
    expect(host.getAttribute('href')).toBe('/assets/assets/a1');
    await userEvent.click(screen.getByRole('button', { name: 'Show the job log' }));
    expect(useShownJob.getState()).toMatchObject({ id: 'job-2' });
    hideJob();
  });

  test('a host is also added without a test', async () => {
    const { onAdded } = await form([]);
    await userEvent.click(screen.getByRole('button', { name: 'Add host' }));
    await waitFor(() => expect(onAdded).toHaveBeenCalled());
    expect(calls.map(({ path }) => path)).toEqual(['perms/new-hosts/']);
  });
});
