import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { expect, test, vi } from 'vitest';
import { Role } from '#/lib/permissions';
import { rememberedRole } from '#/lib/session';
import { pageOf, recordedServer } from '#/test/recorded';
import { admin, adminSession, renderScreen } from '#/test/render';
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

const { server, sent } = recordedServer(() => [
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
  mock.get('*/api/v1/assets/favorite-assets/', () => HttpResponse.json([{ id: 1, asset: 'off-1' }])),
  mock.get('*/api/v1/terminal/recent-assets/', () => HttpResponse.json([])),
  mock.get('*/api/v1/terminal/ssh-address/', () =>
    HttpResponse.json({ host: 'gate.example.com', port: 2222 }),
  ),
]);

test('each SSH asset shows its command and copies it, and leads to its files; one request serves all rows', async () => {
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
  expect(within(row).getByRole('link', { name: 'Files of shop-1' }).getAttribute('href')).toBe(
    '/files?asset=shop-1',
  );
  for (const name of [/desktop-1/, /off-1/])
    expect(within(screen.getByRole('row', { name })).queryByText(/^ssh -p/)).toBeNull();
  expect(sent('GET', 'terminal/ssh-address/')).toHaveLength(1);
});

test('a star is pressed for favourites, and adds and removes them', async () => {
  server.use(
    mock.post('*/api/v1/assets/favorite-assets/', () => HttpResponse.json({ id: 2 }, { status: 201 })),
    mock.delete('*/api/v1/assets/favorite-assets/', () => new HttpResponse(null, { status: 204 })),
  );
  await renderScreen(<MyAssetsPage />, { address: '/my-assets', pattern: '/my-assets' });
  const starred = await screen.findByRole('button', { name: 'Favorite: off-1', pressed: true });
  await userEvent.click(screen.getByRole('button', { name: 'Favorite: shop-1', pressed: false }));
  await waitFor(() => expect(sent('POST', 'assets/favorite-assets/')[0]?.body).toEqual({ asset: 'shop-1' }));
  await userEvent.click(starred);
  await waitFor(() => expect(sent('DELETE', 'assets/favorite-assets/')).toHaveLength(1));
  expect(sent('DELETE', 'assets/favorite-assets/')[0]?.query.get('asset')).toBe('off-1');
});

test('above a long list are the assets of the last sessions that may still be reached, the latest first', async () => {
  server.use(
    mock.get('*/api/v1/terminal/recent-assets/', () =>
      HttpResponse.json(['gone', 'b-1', 'a-1'].map((id) => ({ asset: id }))),
    ),
    mock.get('*/api/v1/perms/users/assets/', ({ request }) =>
      new URL(request.url).searchParams.has('ids')
        ? HttpResponse.json([asset('a-1'), asset('b-1')])
        : HttpResponse.json({ ...pageOf([asset('a-1')]), count: 30_000 }),
    ),
  );
  await renderScreen(<MyAssetsPage />, { address: '/my-assets', pattern: '/my-assets' });
  const recent = await screen.findByRole('navigation', { name: 'Recent' });
  expect(
    within(recent)
      .getAllByRole('link')
      .map((link) => link.textContent),
  ).toEqual(['b-1', 'a-1']);
  server.use(
    mock.get('*/api/v1/perms/users/assets/:id/system-users/', () => HttpResponse.json([{ name: 'root' }])),
  );
  await userEvent.click(screen.getByRole('button', { name: 'a-1' }));
  expect(within(await screen.findByRole('dialog', { name: 'a-1' })).getByText('192.0.2.1')).toBeTruthy();
  expect(await screen.findByText('root')).toBeTruthy();
});

const nothing = () => mock.get('*/api/v1/perms/users/assets/', () => HttpResponse.json(pageOf([])));
const onUserPage = { ...adminSession, currentRole: Role.User };

test('without an asset an administrator is led to the admin page, where they can grant one', async () => {
  server.use(nothing());
  const { unmount } = await renderScreen(<MyAssetsPage />, { session: onUserPage });
  expect(await screen.findByText(/Create one, or add a host first/)).toBeTruthy();
  expect(screen.queryByText(/Ask an administrator/)).toBeNull();
  const grant = screen.getByRole('link', { name: 'Create asset permission' });
  expect(grant.getAttribute('href')).toBe(`/ui/perms/asset-permissions/create?user=${admin.id}`);
  // The page is left in the browser only; here the click shows which page opens.
  grant.addEventListener('click', (event) => event.preventDefault());
  await userEvent.click(grant);
  expect(rememberedRole(admin.username)).toBe(Role.SuperAdmin);
  unmount();
});

test('without an asset others are told whom to ask', async () => {
  server.use(nothing());
  await renderScreen(<MyAssetsPage />, {
    session: { ...onUserPage, permissions: Role.User, roles: [Role.User] },
  });
  expect(await screen.findByText(/Ask an administrator/)).toBeTruthy();
  expect(screen.getByRole('link', { name: 'Whom to ask' })).toBeTruthy();
  expect(screen.queryByRole('link', { name: 'Create asset permission' })).toBeNull();
});
