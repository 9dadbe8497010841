import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { renderScreen } from '#/test/render';
import type { Group, Host } from './api';
import { Results } from './Results';

const group = (more: Partial<Group>): Group => ({
  key: 'ended.done.0.a',
  state: 'ended',
  state_display: 'Ended',
  result: 'done',
  result_display: 'Done',
  status: 0,
  hosts_amount: 2,
  hostnames: ['web-1', 'web-2'],
  sample: 1,
  message: '',
  output: 'all is well\n',
  is_cut: false,
  ...more,
});
const failed = group({
  key: 'ended.failed.100.b',
  result: 'failed',
  result_display: 'Failed',
  status: 100,
  hosts_amount: 1,
  hostnames: ['db-1'],
  output: 'Reading lists\n\nE: no lock\n',
});
const open = group({
  key: 'started...',
  state: 'started',
  state_display: 'Running',
  result: '',
  result_display: '',
  status: null,
  hosts_amount: 1,
  hostnames: ['slow-1'],
  output: '',
});

const host = (id: number, hostname: string, key: string): Host => ({
  id,
  asset: `a${id}`,
  hostname,
  ip: `192.0.2.${id}`,
  state: 'ended',
  state_display: 'Ended',
  result: 'done',
  result_display: 'Done',
  status: 0,
  message: '',
  via: '',
  seconds: 0.4,
  size: 12,
  group: key,
});
const HOSTS = [
  host(1, 'web-1', 'ended.done.0.a'),
  host(2, 'web-2', 'ended.done.0.a'),
  host(3, 'db-1', failed.key),
];

const server = setupServer(
  mock.get('*/api/v1/ops/command-executions/c1/groups/', () => HttpResponse.json([failed, group({}), open])),
  mock.get('*/api/v1/ops/command-executions/c1/hosts/', ({ request }) => {
    const query = new URL(request.url).searchParams;
    const wanted = query.get('group');
    const search = query.get('search') ?? '';
    const results = HOSTS.filter(
      (one) => (wanted === null || one.group === wanted) && one.hostname.includes(search),
    );
    return HttpResponse.json({ count: results.length, results });
  }),
  mock.get('*/api/v1/ops/command-executions/c1/hosts/:id/', ({ params }) => {
    const found = HOSTS.find((one) => String(one.id) === params['id']);
    return HttpResponse.json({
      ...found,
      output: `output of ${found?.hostname}\n<b>text</b>`,
      is_cut: params['id'] === '2',
    });
  }),
);
beforeAll(() => server.listen({ onUnhandledRequest: 'bypass' }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());
const texts = ['batch-results'];

test('failed hosts come first, and the chosen group shows the output of its hosts', async () => {
  await renderScreen(<Results id="c1" isOpen={false} />, { texts });
  const groups = await screen.findByRole('navigation', { name: 'Groups of equal outputs' });
  const parts = within(groups)
    .getAllByRole('region')
    .map((part) => part.getAttribute('aria-label'));
  expect(parts).toEqual(['Failed', 'Done', 'Still to come']);
  expect(within(groups).getByText('Exit status 100')).toBeTruthy();
  expect(within(groups).getByText('E: no lock')).toBeTruthy();
  // The first group is open.
  expect(await screen.findByText(/output of db-1/)).toBeTruthy();
  await userEvent.click(within(within(groups).getByRole('region', { name: 'Done' })).getByRole('button'));
  expect(await screen.findByText(/output of web-1/)).toBeTruthy();
  // What a host shows is only text.
  expect(document.querySelector('pre b')).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: /web-2/ }));
  expect(await screen.findByText(/output of web-2/)).toBeTruthy();
  expect(screen.getByText(/output is longer than what is stored/)).toBeTruthy();
});

test('groups are found by text of their output and by the name of a host', async () => {
  await renderScreen(<Results id="c1" isOpen={false} />, { texts });
  const box = await screen.findByRole('searchbox', { name: 'Host or text in an output' });
  await userEvent.type(box, 'no lock');
  await waitFor(() => expect(screen.queryByText('all is well')).toBeNull());
  expect(screen.getByText('E: no lock')).toBeTruthy();
  await userEvent.clear(box);
  await userEvent.type(box, 'web-2');
  expect(await screen.findByText('all is well')).toBeTruthy();
  await waitFor(() => expect(screen.queryByText('E: no lock')).toBeNull());
  await userEvent.clear(box);
  await userEvent.type(box, 'nowhere');
  expect(await screen.findByText('No group has this host or text.')).toBeTruthy();
});

test('the hosts of a group are taken over for another command', async () => {
  const chosen = vi.fn<(hosts: readonly Host[]) => void>();
  await renderScreen(<Results id="c1" isOpen={false} onChooseHosts={chosen} />, { texts });
  await userEvent.click(await screen.findByRole('button', { name: 'Choose these hosts' }));
  await waitFor(() => expect(chosen).toHaveBeenCalledTimes(1));
  expect(chosen.mock.calls[0]?.[0].map((one) => one.hostname)).toEqual(['db-1']);
});

test('a failure is told and can be tried again', async () => {
  server.use(
    mock.get('*/api/v1/ops/command-executions/c1/groups/', () => HttpResponse.json({}, { status: 500 }), {
      once: true,
    }),
  );
  await renderScreen(<Results id="c1" isOpen={false} />, { texts });
  expect(await screen.findByText('The outputs did not load')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: /again|Retry/ }));
  expect(await screen.findByText('E: no lock')).toBeTruthy();
});
