import { screen } from '@testing-library/react';
import { http as mock, HttpResponse } from 'msw';
import { expect, test } from 'vitest';
import { recordedServer } from '#/test/recorded';
import { adminSession, renderScreen, rootOrg } from '#/test/render';
import { NoAccessDialog } from './NoAccessDialog';

const refused = {
  allowed: false,
  code: 'no_grant',
  message: 'No permission gives you access to it.',
  reasons: [],
  asset: null,
  user: 'u1',
  may_grant: false,
  system_user: null,
  ask: [],
};
let answer: object = refused;

recordedServer(() => [mock.get('*/api/v1/perms/users/assets/a1/access/', () => HttpResponse.json(answer))]);

const dialog = <NoAccessDialog assetId="a1" onClose={() => undefined} />;

test('a person who may not grant access sees whom to ask, and nothing else about the asset', async () => {
  answer = { ...refused, ask: ['Ann Li', 'Bo Xu'] };
  await renderScreen(dialog);
  expect(await screen.findByText('Ask for an asset permission: Ann Li, Bo Xu.')).toBeTruthy();
  expect(screen.getByText('No permission gives you access to it.')).toBeTruthy();
  expect(screen.queryByRole('link')).toBeNull();
});

test('an administrator sees each reason with its permission, and can open the prefilled form', async () => {
  answer = {
    ...refused,
    code: 'grant_expired',
    reasons: [
      {
        code: 'grant_expired',
        message: 'The permission on call ended.',
        permission: { id: 'p1', name: 'on call' },
      },
    ],
    asset: { id: 'a1', name: 'shop-1' },
    may_grant: true,
    system_user: { id: 's1', name: 'deploy' },
  };
  await renderScreen(dialog);
  const reason = await screen.findByRole('link', { name: 'The permission on call ended.' });
  expect(reason.getAttribute('href')).toContain('/perms/asset-permissions/p1');
  expect(screen.getByRole('dialog', { name: 'No access to shop-1' })).toBeTruthy();
  expect(screen.getByRole('link', { name: /Create permission/ }).getAttribute('href')).toContain(
    '/perms/asset-permissions/create?asset=a1&user=u1&system_user=s1',
  );
});

test('in the root organization it says where permissions are created', async () => {
  answer = { ...refused, asset: { id: 'a1', name: 'shop-1' } };
  await renderScreen(dialog, { session: { ...adminSession, organization: rootOrg } });
  expect(await screen.findByText(/Switch to it in the console first/)).toBeTruthy();
  expect(screen.queryByRole('link')).toBeNull();
});

test('access granted in the meantime is reported', async () => {
  answer = { ...refused, allowed: true, code: 'granted', message: 'Granted by the permission on call.' };
  await renderScreen(dialog);
  expect(await screen.findByText('You may connect now. Choose the asset again.')).toBeTruthy();
});
