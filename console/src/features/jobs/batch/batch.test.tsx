import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { renderScreen } from '#/test/render';
import { BatchPage } from './BatchPage';
import { boxOf, selectionOf, toggled } from './selection';

// jsdom measures no text, which the editor needs.
vi.mock('#/islands/editor/CommandEditor', () => ({
  CommandEditor: ({
    label,
    value,
    onChange,
    onRun,
  }: {
    readonly label: string;
    readonly value: string;
    readonly onChange: (value: string) => void;
    readonly onRun: () => void;
  }) => (
    <textarea
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      onKeyDown={(event) => event.key === 'Enter' && event.ctrlKey && onRun()}
    />
  ),
}));

const asset = (id: string) => ({
  id,
  hostname: id,
  ip: '192.0.2.1',
  platform: 'Linux',
  protocols: ['ssh/22'],
  is_active: true,
  comment: '',
});
const many = Array.from({ length: 60 }, (_, index) => asset(`web-${index}`));
const sent: unknown[] = [];
const row = (body: object) => ({
  id: 'c1',
  command: 'uptime',
  hosts_amount: 2,
  done: 0,
  failed: 0,
  state: 'running',
  state_display: 'Running',
  is_finished: false,
  is_cancelling: false,
  is_success: false,
  result: null,
  run_as: 's1',
  run_as_display: 'deploy',
  date_created: '2026/11/23 03:30:00 +0000',
  date_start: null,
  date_finished: null,
  ...body,
});
const server = setupServer(
  mock.get('*/api/v1/perms/system-users-permission/', () =>
    HttpResponse.json([
      { id: 's1', name: 'deploy', username: 'root', protocol: 'ssh', login_mode: 'auto' },
      { id: 's2', name: 'typed', username: 'root', protocol: 'ssh', login_mode: 'manual' },
      { id: 's3', name: 'desk', username: 'root', protocol: 'vnc', login_mode: 'auto' },
    ]),
  ),
  mock.get('*/api/v1/perms/users/nodes/children-with-assets/tree/', ({ request }) => {
    const query = new URL(request.url).searchParams;
    if (query.get('system_user') !== 's1') return HttpResponse.json([]);
    if (query.get('key') === null)
      return HttpResponse.json([
        {
          id: '1',
          name: 'Default (60)',
          pId: '',
          isParent: true,
          meta: { type: 'node', data: { id: 'n1', key: '1' } },
        },
      ]);
    const shown = many.slice(0, 2).map((host) => ({
      id: host.id,
      name: host.hostname,
      pId: '1',
      isParent: false,
      meta: { type: 'asset', data: host },
    }));
    const note = {
      id: 'cut',
      name: 'Only the first 2 assets are shown.',
      pId: '1',
      isParent: false,
      meta: { type: 'note', data: { id: 'cut' } },
    };
    return HttpResponse.json([...shown, note]);
  }),
  mock.get('*/api/v1/perms/users/nodes/n1/assets/', () => HttpResponse.json({ count: 60, results: many })),
  mock.post('*/api/v1/ops/command-executions/', async ({ request }) => {
    sent.push(await request.json());
    return HttpResponse.json(row({}), { status: 201 });
  }),
  mock.get('*/api/v1/ops/command-executions/c1/', () => HttpResponse.json(row({}))),
  mock.get('*/api/v1/ops/command-executions/c1/groups/', () => HttpResponse.json([])),
  mock.get('*/api/v1/ops/command-snippets/', () => HttpResponse.json([])),
);
const options = {
  address: '/ops/command-executions/create',
  pattern: '/ops/command-executions/create',
  texts: ['jobs', 'batch-results'],
};

beforeAll(() => server.listen({ onUnhandledRequest: 'bypass' }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());
beforeEach(() => {
  // jsdom lays nothing out, and the tree draws what fits.
  vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(600);
  vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(400);
  sent.length = 0;
});

async function compose(): Promise<void> {
  await userEvent.click(await screen.findByRole('button', { name: /As whom/ }));
  expect(screen.getAllByRole('option').map((one) => one.textContent)).toEqual(['deploy (root)']);
  await userEvent.click(screen.getByRole('option', { name: 'deploy (root)' }));
  await userEvent.click(screen.getByRole('button', { name: 'Choose hosts' }));
}

test('a command runs on the chosen hosts, and its progress is shown', async () => {
  await renderScreen(<BatchPage />, options);
  await compose();
  const dialog = await screen.findByRole('dialog', { name: 'Choose hosts' });
  await userEvent.click(await within(dialog).findByText('web-1'));
  expect(within(dialog).getByRole('treeitem', { name: /web-1/ }).getAttribute('aria-checked')).toBe('true');
  const note = within(dialog).getByRole('treeitem', { name: /Only the first 2 assets/ });
  await userEvent.click(note);
  expect(note.hasAttribute('aria-checked')).toBe(false);
  expect(
    within(dialog)
      .getByRole('treeitem', { name: /Default/ })
      .getAttribute('aria-checked'),
  ).toBe('mixed');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Done' }));
  const run = screen.getByRole('button', { name: 'Run' });
  expect(run.getAttribute('aria-disabled')).toBe('true');
  expect(run.getAttribute('title')).toBe('Enter a command first.');
  await userEvent.type(await screen.findByRole('textbox', { name: 'Command' }), 'uptime');
  await userEvent.click(run);
  await waitFor(() => expect(sent).toEqual([{ command: 'uptime', run_as: 's1', hosts: ['web-1'] }]));
  expect(await screen.findByText('2 hosts as deploy')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Stop' })).toBeTruthy();
});

test('a node means all hosts below it, and many hosts are asked about', async () => {
  await renderScreen(<BatchPage />, options);
  await compose();
  const dialog = await screen.findByRole('dialog', { name: 'Choose hosts' });
  await userEvent.click(await within(dialog).findByText('Default'));
  expect(await within(dialog).findByText('60 hosts chosen')).toBeTruthy();
  expect(
    within(dialog)
      .getByRole('treeitem', { name: /Default/ })
      .getAttribute('aria-checked'),
  ).toBe('true');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Done' }));
  await userEvent.type(await screen.findByRole('textbox', { name: 'Command' }), 'uptime');
  await userEvent.keyboard('{Control>}{Enter}{/Control}');
  const question = await screen.findByRole('alertdialog', { name: 'Run on 60 hosts?' });
  await userEvent.click(within(question).getByRole('button', { name: 'Cancel' }));
  expect(sent).toEqual([]);
  await userEvent.click(screen.getByRole('button', { name: 'Run' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Run on 60 hosts' }));
  await waitFor(() => expect(sent).toHaveLength(1));
});

test('what the server refuses is told beside the command', async () => {
  server.use(
    mock.post('*/api/v1/ops/command-executions/', () =>
      HttpResponse.json({ hosts: ['You may not run commands there.'] }, { status: 400 }),
    ),
  );
  await renderScreen(<BatchPage />, options);
  await compose();
  const dialog = await screen.findByRole('dialog', { name: 'Choose hosts' });
  await userEvent.click(await within(dialog).findByText('web-1'));
  await userEvent.click(within(dialog).getByRole('button', { name: 'Done' }));
  await userEvent.type(await screen.findByRole('textbox', { name: 'Command' }), 'uptime');
  await userEvent.click(screen.getByRole('button', { name: 'Run' }));
  expect((await screen.findByRole('alert')).textContent).toBe('You may not run commands there.');
});

test('the command is run again on the hosts that failed', async () => {
  const asked: string[] = [];
  server.use(
    mock.get('*/api/v1/ops/command-executions/c1/', () =>
      HttpResponse.json(row({ is_finished: true, state: 'failed', done: 2, failed: 1 })),
    ),
    mock.get('*/api/v1/ops/command-executions/c1/hosts/', ({ request }) => {
      asked.push(new URL(request.url).searchParams.get('is_failed') ?? '');
      return HttpResponse.json({ count: 1, results: [{ id: 7, asset: 'web-1', hostname: 'web-1' }] });
    }),
  );
  await renderScreen(<BatchPage />, { ...options, address: `${options.address}?run=c1` });
  await userEvent.click(await screen.findByRole('button', { name: 'Run again on 1 failed host' }));
  await waitFor(() => expect(sent).toEqual([{ command: 'uptime', run_as: 's1', hosts: ['web-1'] }]));
  expect(asked).toEqual(['true']);
  expect(screen.getByRole('button', { name: '1 host chosen' })).toBeTruthy();
});

test('without a usable account it says what is missing', async () => {
  server.use(mock.get('*/api/v1/perms/system-users-permission/', () => HttpResponse.json([])));
  await renderScreen(<BatchPage />, options);
  expect(await screen.findByText('No account to run commands with')).toBeTruthy();
});

test('ticking adds all hosts, and takes them away when all are there', () => {
  const [one, two] = [
    { id: '1', hostname: 'a' },
    { id: '2', hostname: 'b' },
  ];
  const chosen = toggled(selectionOf([one]), [one, two]);
  expect([...chosen.keys()]).toEqual(['1', '2']);
  expect([...toggled(chosen, [one, two]).keys()]).toEqual([]);
  expect([
    boxOf(chosen, ['1', '2']),
    boxOf(chosen, ['1', '3']),
    boxOf(chosen, ['3']),
    boxOf(chosen, []),
  ]).toEqual(['on', 'some', 'off', 'off']);
});
