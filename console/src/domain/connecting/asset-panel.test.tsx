import { screen } from '@testing-library/react';
import { http as mock, HttpResponse } from 'msw';
import { expect, test } from 'vitest';
import { Role } from '#/lib/permissions';
import { recordedServer } from '#/test/recorded';
import { admin, adminSession, renderScreen } from '#/test/render';
import { AssetPanel } from './AssetPanel';

/** The node of favourites is always there. */
const favourites = {
  id: 'favorite',
  name: 'Favorite (0)',
  isParent: false,
  meta: { type: 'node', data: { id: 'favorite', key: 'favorite' } },
};
recordedServer(() => [mock.get('*/api/v1/perms/users/*', () => HttpResponse.json([favourites]))]);

const panel = <AssetPanel onChoose={() => undefined} />;

test('without an asset an administrator can open the form of the missing permission', async () => {
  await renderScreen(panel);
  expect(await screen.findByText(/Grant one with an asset permission/)).toBeTruthy();
  const form = screen.getByRole('link', { name: 'Create permission' });
  expect(form.getAttribute('href')).toContain(`/perms/asset-permissions/create?user=${admin.id}`);
});

test('without an asset others are told whom to ask', async () => {
  await renderScreen(panel, {
    session: { ...adminSession, currentRole: Role.User, permissions: Role.User, roles: [Role.User] },
  });
  expect(await screen.findByText(/Ask an administrator/)).toBeTruthy();
  expect(screen.queryByRole('link')).toBeNull();
});
