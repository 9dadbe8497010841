import { screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { expect, test, vi } from 'vitest';
import { pageOf, recordedServer } from '#/test/recorded';
import { renderScreen } from '#/test/render';
import { MyAssetsPage } from './MyAssetsPage';

const asset = (id: string, more: object = {}) => ({
  id,
  hostname: id,
  ip: '192.0.2.1',
  protocols: ['ssh/22'],
  platform: 'Linux',
  comment: '',
  is_active: true,
  ...more,
});

const { sent } = recordedServer(() => [
  mock.options('*/api/v1/perms/users/assets/', () => HttpResponse.json({ name: 'a', actions: { GET: {} } })),
  mock.get('*/api/v1/perms/users/assets/', () =>
    HttpResponse.json(
      pageOf([
        asset('shop-1'),
        asset('desktop-1', { protocols: ['rdp/3389'] }),
        asset('off-1', { is_active: false }),
      ]),
    ),
  ),
  mock.get('*/api/v1/perms/users/nodes/children/tree/', () => HttpResponse.json([])),
  mock.get('*/api/v1/terminal/ssh-address/', () =>
    HttpResponse.json({ host: 'gate.example.com', port: 2222 }),
  ),
]);

test('each SSH asset shows its command and copies it; one request serves all rows', async () => {
  await renderScreen(<MyAssetsPage />, { address: '/my-assets', pattern: '/my-assets' });
  const copied: string[] = [];
  const user = userEvent.setup();
  vi.spyOn(navigator.clipboard, 'writeText').mockImplementation((text) => {
    copied.push(text);
    return Promise.resolve();
  });
  const row = await screen.findByRole('row', { name: /shop-1/ });
  const line = 'ssh -p 2222 admin=shop-1@gate.example.com';
  await within(row).findByText(line);
  await user.click(within(row).getByRole('button', { name: 'Copy the SSH line of shop-1' }));
  expect(copied).toEqual([line]);
  for (const name of [/desktop-1/, /off-1/])
    expect(within(screen.getByRole('row', { name })).queryByText(/^ssh -p/)).toBeNull();
  expect(sent('GET', 'terminal/ssh-address/')).toHaveLength(1);
});
