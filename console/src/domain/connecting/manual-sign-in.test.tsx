import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { expect, test, vi } from 'vitest';
import { recordedServer } from '#/test/recorded';
import { renderScreen } from '#/test/render';
import type { GrantedAsset, GrantedSystemUser } from './api';
import { SystemUserDialog } from './SystemUserDialog';

const asset: GrantedAsset = {
  id: 'a1',
  hostname: 'shop-1',
  ip: '192.0.2.1',
  platform: 'Linux',
  protocols: ['ssh/22'],
  is_active: true,
  comment: '',
};
const typed: GrantedSystemUser = {
  id: 's1',
  name: 'typed',
  username: '',
  protocol: 'ssh',
  priority: 20,
  login_mode: 'manual',
};
const stored: GrantedSystemUser = { ...typed, id: 's2', name: 'root', username: 'root', login_mode: 'auto' };
const row = {
  id: 'k1',
  asset: 'a1',
  system_user: 's1',
  username: 'carol',
  date_expired: '2026/11/23 03:35:00 +0000',
};
let kept: readonly object[] = [];

const { sent } = recordedServer(() => [
  mock.get('*/api/v1/assets/entered-credentials/', () => HttpResponse.json(kept)),
  mock.delete('*/api/v1/assets/entered-credentials/k1/', () => {
    kept = [];
    return new HttpResponse(null, { status: 204 });
  }),
  mock.post('*/api/v1/assets/system-users/s1/temp-auth/', () =>
    HttpResponse.json({ expires_in: 300 }, { status: 201 }),
  ),
]);

async function open(choices: readonly GrantedSystemUser[], keptRows: readonly object[] = []) {
  kept = keptRows;
  const onChoose = vi.fn<(systemUser: GrantedSystemUser) => void>();
  await renderScreen(
    <SystemUserDialog asset={asset} choices={choices} onChoose={onChoose} onCancel={() => undefined} />,
    { texts: ['entered-credentials'] },
  );
  return { onChoose, connect: () => userEvent.click(screen.getByRole('button', { name: 'Connect' })) };
}
const entered = () => sent('POST', 'assets/system-users/s1/temp-auth/');

test('the credential from the dialog is stored before the session starts', async () => {
  const { onChoose, connect } = await open([typed]);
  await userEvent.type(await screen.findByLabelText('Username on the host'), 'carol');
  await connect();
  expect(await screen.findByText('Enter the password.')).toBeTruthy();
  expect(onChoose).not.toHaveBeenCalled();
  await userEvent.type(screen.getByLabelText('Password'), 's3cret');
  await connect();
  await waitFor(() => expect(onChoose).toHaveBeenCalledWith(typed));
  expect(entered().map(({ body }) => body)).toEqual([
    { instance_id: 'a1', username: 'carol', password: 's3cret' },
  ]);
});

test('with empty fields the host asks while connecting', async () => {
  const { onChoose, connect } = await open([typed]);
  await screen.findByLabelText('Password');
  await connect();
  expect(onChoose).toHaveBeenCalledWith(typed);
  expect(entered()).toEqual([]);
});

test('a stored credential is used, replaced or deleted', async () => {
  const { onChoose, connect } = await open([typed], [row]);
  expect((await screen.findByText(/This session uses the credential/)).textContent).toContain('carol');
  await connect();
  expect(onChoose).toHaveBeenCalledTimes(1);
  await userEvent.click(screen.getByRole('button', { name: 'Enter another' }));
  await connect();
  expect(await screen.findByText('Enter the password.')).toBeTruthy();
  expect(onChoose).toHaveBeenCalledTimes(1);
});

test('forgetting it brings back the fields', async () => {
  await open([typed], [row]);
  await userEvent.click(await screen.findByRole('button', { name: 'Forget it' }));
  expect(await screen.findByLabelText('Password')).toBeTruthy();
});

test('only a system user whose credential nobody stores asks for it', async () => {
  await open([stored, typed]);
  const typedUser = await screen.findByRole('radio', { name: 'typed' });
  expect(screen.queryByLabelText('Password')).toBeNull();
  await userEvent.click(typedUser);
  expect(await screen.findByLabelText('Password')).toBeTruthy();
});
