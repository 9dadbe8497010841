import { screen } from '@testing-library/react';
import { http as mock, HttpResponse } from 'msw';
import { expect, test } from 'vitest';
import { pageOf, recordedServer } from '#/test/recorded';
import { renderScreen } from '#/test/render';
import { SessionDetailPage } from './SessionDetailPage';

const session = {
  id: 's1',
  user: 'Li(li)',
  user_id: 'u1',
  asset: 'shop-1',
  asset_id: 'a1',
  system_user: 'deploy',
  login_name: 'deploy',
  protocol: 'ssh',
  kind: 'sftp',
  state: 'ended',
  is_finished: true,
  end_reason_display: 'Closed',
  recording_state: 'none',
  can_replay: false,
  command_amount: 0,
  date_start: '2026/11/22 13:43:03 +0000',
  date_end: '2026/11/22 13:44:03 +0000',
  duration_s: 60,
};
const file = (id: string, more: object) => ({
  id,
  operate_display: 'Upload',
  date_start: '2026/11/22 13:43:30 +0000',
  size: 5000,
  is_success: true,
  state: 'finished',
  ...more,
});

const connection = (id: string, more: object) => ({
  id,
  asked: 'localhost:8080',
  originator: '127.0.0.1:50000',
  bytes_in: 120,
  bytes_out: 5000,
  duration_ms: 2400,
  reason: '',
  date_start: '2026/11/22 13:43:30 +0000',
  state: 'finished',
  ...more,
});

const { sent, server } = recordedServer(() => [
  mock.options('*/api/v1/audits/ftp-logs/', () => HttpResponse.json({ name: 'log', actions: { GET: {} } })),
  mock.get('*/api/v1/audits/ftp-logs/', () =>
    HttpResponse.json(
      pageOf([
        file('f1', { filename: '/srv/report.csv' }),
        file('f2', { filename: '/srv/cut.bin', size: null, state: 'interrupted' }),
      ]),
    ),
  ),
  mock.options('*/api/v1/audits/forwarded-connections/', () =>
    HttpResponse.json({ name: 'log', actions: { GET: {} } }),
  ),
  mock.get('*/api/v1/audits/forwarded-connections/', () =>
    HttpResponse.json(
      pageOf([
        connection('c1', { opened: '127.0.0.1:8080', reason: 'closed by the client' }),
        connection('c2', { opened: '/tmp/app.sock', state: 'interrupted', bytes_out: 0 }),
      ]),
    ),
  ),
  mock.get('*/api/v1/terminal/sessions/s1/', () => HttpResponse.json(session)),
  mock.get('*/api/v1/terminal/sessions/s1/replay/', () => HttpResponse.json({}, { status: 404 })),
  mock.get('*/api/v1/terminal/commands/', () => HttpResponse.json(pageOf([]))),
]);

async function open() {
  await renderScreen(<SessionDetailPage />, {
    address: '/terminal/sessions/s1',
    pattern: '/terminal/sessions/$id',
    texts: ['sessions'],
  });
}

test('a file session opens on its file operations', async () => {
  await open();
  const tab = await screen.findByRole('tab', { name: 'Files' });
  expect(tab.getAttribute('aria-selected')).toBe('true');
  const row = await screen.findByRole('row', { name: /report\.csv/ });
  for (const words of ['Upload', '5 kB', 'Success']) expect(row.textContent).toContain(words);
  expect(screen.getByRole('row', { name: /cut\.bin/ }).textContent).toMatch(/—.*Interrupted/);
  expect(sent('GET', 'audits/ftp-logs/')[0]?.query.get('session')).toBe('s1');
});

test('a shell session opens on its recording, with its files in another tab', async () => {
  server.use(
    mock.get('*/api/v1/terminal/sessions/s1/', () => HttpResponse.json({ ...session, kind: 'shell' })),
  );
  await open();
  expect((await screen.findByRole('tab', { name: 'Replay' })).getAttribute('aria-selected')).toBe('true');
  expect(screen.getByRole('tab', { name: 'Files' })).toBeTruthy();
});

test('a session of forwarded connections opens on them and says that nothing of them is recorded', async () => {
  server.use(
    mock.get('*/api/v1/terminal/sessions/s1/', () => HttpResponse.json({ ...session, kind: 'forward' })),
  );
  await open();
  expect((await screen.findByRole('tab', { name: 'Connections' })).getAttribute('aria-selected')).toBe(
    'true',
  );
  const row = await screen.findByRole('row', { name: /127\.0\.0\.1:8080/ });
  for (const words of ['localhost:8080', '120 B', '5 kB', 'closed by the client'])
    expect(row.textContent).toContain(words);
  expect(screen.getByRole('row', { name: /app\.sock/ }).textContent).toContain('Interrupted');
  expect(screen.getByText(/content is not recorded/)).toBeTruthy();
  expect(sent('GET', 'audits/forwarded-connections/')[0]?.query.get('session')).toBe('s1');
});

test('a session that does not exist any more is named as such, without a retry', async () => {
  server.use(
    mock.get('*/api/v1/terminal/sessions/s1/', () =>
      HttpResponse.json({ detail: 'Not found.' }, { status: 404 }),
    ),
  );
  await open();
  expect(await screen.findByRole('heading', { name: 'There is no such session' })).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Retry' })).toBeNull();
});
