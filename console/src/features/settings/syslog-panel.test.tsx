import { screen } from '@testing-library/react';
import { http as mock, HttpResponse } from 'msw';
import { expect, test } from 'vitest';
import { recordedServer } from '#/test/recorded';
import { renderScreen } from '#/test/render';
import type { SettingsForm } from './use-settings-form';
import { SyslogPanel } from './syslog/SyslogPanel';

let state: Record<string, unknown>;
const { server } = recordedServer(() => [
  mock.get('*/api/v1/settings/syslog/state/', () => HttpResponse.json(state)),
]);

const loaded = { version: 1, settings: [], values: {}, fields: {} };
const settings = {} as SettingsForm; // the test of the form is not run here
const show = () =>
  renderScreen(<SyslogPanel loaded={loaded} settings={settings} />, { texts: ['settings', 'resource'] });

test('it says how far behind the receiver is, and why', async () => {
  state = {
    is_on: true,
    behind: 42,
    sent: 7,
    date_sent: null,
    failing_since: '2026-01-02T03:04:05Z',
    reason: 'The receiver does not answer.',
  };
  show();
  await screen.findByText('The receiver does not answer.');
  expect(screen.getByText('42')).toBeTruthy();
  expect(screen.getByText('Not taken')).toBeTruthy();
});

test('switched off and running are told apart', async () => {
  state = { is_on: false, behind: 0, sent: 0, date_sent: null, failing_since: null, reason: '' };
  show();
  expect(await screen.findByText('Not sent')).toBeTruthy();
});

test('a failure to load says so', async () => {
  server.use(
    mock.get('*/api/v1/settings/syslog/state/', () => HttpResponse.json({ detail: 'No.' }, { status: 403 })),
  );
  show();
  expect(await screen.findByText(/No\./)).toBeTruthy();
});
