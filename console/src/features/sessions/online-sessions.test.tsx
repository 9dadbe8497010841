import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { beforeEach, expect, test, vi } from 'vitest';
import { bringSessionNews, noteSessionNews } from '#/lib/live-sessions';
import { DEFAULT_ORG_ID } from '#/lib/session';
import { pageOf, recordedServer } from '#/test/recorded';
import { renderScreen } from '#/test/render';
import { SessionListPage } from './SessionListPage';

const session = (id: string, more: object = {}) => ({
  id,
  user: `${id}(${id})`,
  user_id: `user-${id}`,
  asset: 'shop-1',
  asset_id: 'a1',
  system_user: 'deploy',
  login_from_display: 'Web terminal',
  remote_addr: '203.0.113.5',
  protocol: 'ssh',
  kind: 'shell',
  state: 'active',
  is_finished: false,
  can_join: false,
  can_terminate: true,
  recording_state: 'recording',
  command_amount: 3,
  end_reason_display: '',
  date_start: '2026/11/22 13:43:03 +0000',
  duration_s: 60,
  ...more,
});
let live: object[] = [];

const { sent } = recordedServer(() => [
  mock.options('*/api/v1/terminal/sessions/', () =>
    HttpResponse.json({ name: 'sessions', actions: { GET: {} } }),
  ),
  mock.get('*/api/v1/terminal/sessions/', () => HttpResponse.json(pageOf(live))),
  mock.get('*/api/v1/terminal/sessions/:id/', ({ params }) =>
    HttpResponse.json(
      session(
        String(params['id']),
        live.length === 0 ? { is_finished: true, end_reason_display: 'Closed by the user' } : {},
      ),
    ),
  ),
  mock.post('*/api/v1/terminal/tasks/kill-session/', () => HttpResponse.json({ ok: ['li', 'wu'] })),
  mock.post('*/api/v1/terminal/tasks/lock-session/', () =>
    HttpResponse.json({ ok: ['li', 'wu'], ended: [] }),
  ),
  mock.post('*/api/v1/terminal/tasks/unlock-session/', () => HttpResponse.json({ ok: ['li'], ended: [] })),
  mock.post('*/api/v1/terminal/sessions/:id/message/', async ({ request }) =>
    JSON.stringify(await request.json()).includes('refused')
      ? HttpResponse.json({ message: ['The text contains an invisible character.'] }, { status: 400 })
      : HttpResponse.json({ id: 'm1' }, { status: 201 }),
  ),
  mock.get('*/api/v1/terminal/commands/', () =>
    HttpResponse.json(pageOf([{ id: 'c1', input: 'uptime', kind: 'echo', offset_ms: 1, risk_level: 0 }])),
  ),
]);

beforeEach(() => {
  live = [session('li'), session('wu')];
  const listeners = { addEventListener: () => undefined, removeEventListener: () => undefined };
  vi.stubGlobal('matchMedia', (media: string) => ({
    matches: media === '(width >= 1200px)',
    media,
    ...listeners,
  }));
});

function open(address = '/terminal/session') {
  return renderScreen(<SessionListPage />, { address, pattern: '/terminal/session', texts: ['sessions'] });
}

test('after a notification of the server, a new session appears and an ended one disappears', async () => {
  const wishes: (string | null)[] = [];
  const leave = bringSessionNews((organization) => wishes.push(organization));
  const { unmount } = await open();
  await screen.findByRole('link', { name: 'li(li)' });
  expect(wishes).toEqual([DEFAULT_ORG_ID]);
  live = [session('wu'), session('xu')];
  act(noteSessionNews);
  await screen.findByRole('link', { name: 'xu(xu)' });
  expect(screen.queryByRole('link', { name: 'li(li)' })).toBeNull();
  unmount();
  expect(wishes).toEqual([DEFAULT_ORG_ID, null]);
  leave();
});

test('Monitor shows the session beside the list, with its facts and last commands', async () => {
  const { router } = await open();
  const row = await screen.findByRole('row', { name: /li\(li\)/ });
  expect(screen.queryByRole('complementary', { name: 'Session' })).toBeNull();
  act(
    () => void router.navigate({ to: '/terminal/session', search: { activeTab: 'online', preview: 'li' } }),
  );
  const preview = await screen.findByRole('complementary', { name: 'Session' });
  await within(preview).findByText('deploy @ shop-1');
  expect(await within(preview).findByText('uptime')).toBeTruthy();
  for (const words of ['203.0.113.5', 'Web terminal', 'Being recorded'])
    expect(preview.textContent).toContain(words);
  expect(row.hasAttribute('data-current')).toBe(true);
  expect(sent('GET', 'terminal/commands/')[0]?.query.get('order')).toBe('-timestamp');
  await userEvent.click(within(preview).getByRole('button', { name: 'Close preview' }));
  await waitFor(() => expect(screen.queryByRole('complementary', { name: 'Session' })).toBeNull());
});

test('a session that ends stays beside the list with its end reason until the person chooses another', async () => {
  await open('/terminal/session?activeTab=online&preview=li');
  const preview = await screen.findByRole('complementary', { name: 'Session' });
  await within(preview).findByRole('button', { name: /Terminate/ });
  live = [];
  act(noteSessionNews);
  expect(await within(preview).findByText('Closed by the user')).toBeTruthy();
  expect(within(preview).queryByRole('button', { name: /Terminate/ })).toBeNull();
});

test('the chosen sessions are ended together, after a question that names them', async () => {
  await open();
  await userEvent.click(await screen.findByRole('checkbox', { name: /li\(li\)/ }));
  await userEvent.click(screen.getByRole('checkbox', { name: /wu\(wu\)/ }));
  const bar = screen.getByRole('region', { name: 'Actions for the selection' });
  expect(within(bar).queryByRole('button', { name: /Delete/ })).toBeNull();
  await userEvent.click(within(bar).getByRole('button', { name: 'Terminate' }));
  const question = await screen.findByRole('alertdialog');
  for (const name of ['li(li) → shop-1', 'wu(wu) → shop-1']) expect(question.textContent).toContain(name);
  await userEvent.click(within(question).getByRole('button', { name: 'Terminate 2 sessions' }));
  await waitFor(() => expect(sent('POST', 'terminal/tasks/kill-session/')[0]?.body).toEqual(['li', 'wu']));
  expect(await screen.findByText('2 sessions are being terminated')).toBeTruthy();
});

test('chosen sessions are locked together, and a locked one is marked and can be unlocked', async () => {
  await open();
  await userEvent.click(await screen.findByRole('checkbox', { name: /li\(li\)/ }));
  await userEvent.click(screen.getByRole('checkbox', { name: /wu\(wu\)/ }));
  const bar = screen.getByRole('region', { name: 'Actions for the selection' });
  live = [session('li', { is_locked: true, locked_by: 'Olaf(olaf)' }), session('wu')];
  await userEvent.click(within(bar).getByRole('button', { name: 'Lock' }));
  await waitFor(() => expect(sent('POST', 'terminal/tasks/lock-session/')[0]?.body).toEqual(['li', 'wu']));
  expect(await screen.findByText(/2 sessions are being locked/)).toBeTruthy();
  const row = await screen.findByRole('row', { name: /li\(li\)/ });
  expect((await within(row).findByTitle('Locked by Olaf(olaf)')).textContent).toBe('Locked');
  await userEvent.click(within(row).getByRole('button', { name: /Actions of/ }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Unlock' }));
  await waitFor(() => expect(sent('POST', 'terminal/tasks/unlock-session/')[0]?.body).toEqual(['li']));
});

test('a message is asked for in the preview, and a refusal is shown at its field', async () => {
  await open('/terminal/session?activeTab=online&preview=li');
  const preview = await screen.findByRole('complementary', { name: 'Session' });
  await userEvent.click(await within(preview).findByRole('button', { name: 'Message' }));
  const dialog = await screen.findByRole('dialog', { name: 'Message to li(li)' });
  const send = within(dialog).getByRole('button', { name: 'Send' });
  await userEvent.click(send);
  expect(sent('POST', 'terminal/sessions/li/message/')).toEqual([]);
  const field = within(dialog).getByRole('textbox', { name: /Message/ });
  await userEvent.type(field, 'refused');
  await userEvent.click(send);
  expect(await within(dialog).findByText(/invisible character/)).toBeTruthy();
  await userEvent.clear(field);
  await userEvent.type(field, ' Please save. ');
  await userEvent.click(send);
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  expect(sent('POST', 'terminal/sessions/li/message/').at(-1)?.body).toEqual({ message: 'Please save.' });
});
