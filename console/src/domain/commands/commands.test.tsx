import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { expect, test } from 'vitest';
import { onPhone } from '#/test/phone';
import { field, pageOf, recordedServer } from '#/test/recorded';
import { adminSession, renderScreen } from '#/test/render';
import type { Session } from '#/lib/session';
import { Role } from '#/lib/permissions';
import { CommandHistory } from './CommandHistory';

const command = {
  id: 'c1',
  user: 'Li(li)',
  system_user: 'deploy',
  input: 'systemctl restart shop',
  output: 'restarted\u202e',
  session: 's1',
  kind: 'echo',
  kind_display: 'Echo',
  risk_level: 0,
  offset_ms: 62_500,
  timestamp: 1_790_000_000,
  decision: '',
  decision_filter: '',
  has_secrets: false,
};
const masked = { ...command, id: 'c3', input: 'mysql -p••••••', output: 'Welcome', has_secrets: true };
const refused = { ...command, id: 'c2', input: 'rm -rf /', output: '', risk_level: 5, decision: 'deny' };

const shown = Object.fromEntries(
  ['input', 'risk_level', 'user', 'system_user', 'session', 'timestamp', 'asset_id'].map((name) => [
    name,
    field(name, { read_only: true }),
  ]),
);

const auditorSession: Session = { ...adminSession, currentRole: Role.OrgAuditor };
let isVerified = false;

const { sent } = recordedServer(
  () => [
    mock.options('*/api/v1/terminal/commands/', () =>
      HttpResponse.json({ name: 'commands', actions: { GET: shown } }),
    ),
    mock.get('*/api/v1/authentication/otp/verify/', () => HttpResponse.json({})),
    mock.get('*/api/v1/terminal/commands/c3/whole/', () => {
      if (!isVerified) {
        isVerified = true;
        return HttpResponse.json({ detail: 'Enter a code.', code: 'mfa_verify_required' }, { status: 400 });
      }
      return HttpResponse.json({ ...masked, input: 'mysql -phunter2' });
    }),
    mock.get('*/api/v1/terminal/commands/', () => HttpResponse.json(pageOf([command, refused, masked]))),
  ],
  () => [import('./CommandsOfAsset')],
);

test('an asset shows who ran what on it, and where in the session', async () => {
  await renderScreen(<CommandHistory id="a1" />, { texts: ['commands'] });
  const row = await screen.findByRole('row', { name: /systemctl restart shop/ });
  for (const words of ['Li(li)', 'deploy', 'Ordinary']) expect(row.textContent).toContain(words);
  const moment = within(row).getByRole('link', { name: 'At 01:02' });
  expect(moment.getAttribute('href')).toContain('/terminal/sessions/s1?t=62.5');
  const { query } = sent('GET', 'terminal/commands/')[0] ?? { query: new URLSearchParams() };
  expect(query.get('asset_id')).toBe('a1');
  expect(query.get('command_storage_id')).toBe('default');
  expect(query.get('order')).toBe('-timestamp');
});

test('the output of a command is shown on demand, with hidden characters made visible', async () => {
  await renderScreen(<CommandHistory id="a1" />, { texts: ['commands'] });
  const row = await screen.findByRole('row', { name: /systemctl restart shop/ });
  expect(screen.queryByText(/restarted/)).toBeNull();
  await userEvent.click(within(row).getByRole('button', { expanded: false }));
  expect(screen.getByText('restarted⟨U+202E⟩')).toBeTruthy();
});

test('a refused command is marked, and says that it did not run', async () => {
  await renderScreen(<CommandHistory id="a1" />, { texts: ['commands'] });
  const row = await screen.findByRole('row', { name: /rm -rf/ });
  expect(row.textContent).toContain('Refused by a filter');
  await userEvent.click(within(row).getByRole('button', { expanded: false }));
  expect(screen.getByText('Did not run')).toBeTruthy();
});

test('on a phone, a command shows who ran it, its risk and its moment', async () => {
  onPhone();
  await renderScreen(<CommandHistory id="a1" />, { texts: ['commands'] });
  const row = (await screen.findByText('rm -rf /')).closest('li');
  for (const words of ['Li(li)', 'At 01:02', 'Refused by a filter'])
    expect(row?.textContent).toContain(words);
});

test('administrators show the secrets of one command after a fresh check of the second factor', async () => {
  isVerified = false;
  await renderScreen(<CommandHistory id="a1" />, { texts: ['commands'] });
  const row = await screen.findByRole('row', { name: /mysql -p••••••/ });
  await userEvent.click(within(row).getByRole('button', { expanded: false }));
  await userEvent.click(await screen.findByRole('button', { name: 'Show secrets' }));
  expect((await screen.findByText(/mysql -phunter2/)).textContent).toBe('mysql -phunter2\nWelcome');
  expect(sent('GET', 'terminal/commands/c3/whole/')).toHaveLength(2);
});

test('auditors are told that secrets are hidden, and are offered no way to them', async () => {
  await renderScreen(<CommandHistory id="a1" />, { texts: ['commands'], session: auditorSession });
  const row = await screen.findByRole('row', { name: /mysql -p••••••/ });
  await userEvent.click(within(row).getByRole('button', { expanded: false }));
  expect(screen.getByText(/looks like a secret/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Show secrets' })).toBeNull();
});
