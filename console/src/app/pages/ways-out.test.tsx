import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { expect, test, vi } from 'vitest';
import { browserLocation } from '#/lib/browser-location';
import { ForbiddenError } from '#/lib/http/errors';
import { ORGANIZATION_COOKIE, rememberedOrganization, rememberOrganization, setSession } from '#/lib/session';
import { readCookie, writeCookie } from '#/lib/storage';
import { recordedServer } from '#/test/recorded';
import { adminSession, defaultOrg, renderScreen } from '#/test/render';
import { GuardError } from '../guard/guard';
import { ErrorPage } from './ErrorPage';
import { NotFoundPage } from './NotFoundPage';
import { RefusedPage } from './RefusedPage';

const branch = { ...defaultOrg, id: 'branch', name: 'Branch', is_default: false };
const session = {
  ...adminSession,
  profile: { ...adminSession.profile, user_all_orgs: [defaultOrg, branch] },
};
const { sent } = recordedServer(() => [
  mock.get('*/api/v1/orgs/orgs/current/', () => HttpResponse.json(branch)),
  mock.get('*/api/v1/users/profile/invitations/', () => HttpResponse.json([])),
]);
const assign = vi.fn<(address: string) => void>();
const reload = vi.fn<() => void>();

function watchLocation() {
  vi.spyOn(browserLocation, 'assign').mockImplementation(assign.mockReset());
  vi.spyOn(browserLocation, 'reload').mockImplementation(reload.mockReset());
}

test.each([
  ['a broken page', <ErrorPage key="e" error={new Error('broken')} />],
  ['a page that does not exist', <NotFoundPage key="n" />],
  ['a page that may not be opened', <RefusedPage key="r" />],
])('%s offers another organization and signing out', async (_name, page) => {
  watchLocation();
  await renderScreen(page, { session });
  await userEvent.click(await screen.findByRole('button', { name: 'Switch organization' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Branch' }));
  expect(sent('GET', 'orgs/orgs/current/')[0]?.query.get('oid')).toBe('branch');
  await waitFor(() => expect(readCookie(ORGANIZATION_COOKIE)).toBe('branch'));
  await userEvent.click(screen.getByRole('button', { name: 'Sign out' }));
  expect(assign).toHaveBeenCalledWith('/core/auth/logout/?next=%2Fui%2F');
});

test('before there is a session, the organization is forgotten and the console starts again', async () => {
  watchLocation();
  await renderScreen(<GuardFailed />, { session });
  writeCookie(ORGANIZATION_COOKIE, 'gone');
  rememberOrganization('admin', branch);
  await userEvent.click(await screen.findByRole('button', { name: 'Switch organization' }));
  expect(readCookie(ORGANIZATION_COOKIE)).toBeNull();
  expect(rememberedOrganization('admin')).toBeNull();
  expect(assign).toHaveBeenCalledWith('/ui/');
});

/** As when the guard fails: there is no session yet. */
function GuardFailed() {
  setSession(null);
  return <ErrorPage error={new GuardError('settings', new Error('no'))} />;
}

test('a person without any organization is told so and sees their invitations', async () => {
  watchLocation();
  const refusal = { status: 403, body: null, requestId: null, method: 'GET', path: 'orgs/orgs/current/' };
  await renderScreen(<ErrorPage error={new GuardError('organization', new ForbiddenError(refusal))} />);
  expect(await screen.findByRole('heading', { name: 'You do not belong to any organization' })).toBeTruthy();
  await waitFor(() => expect(sent('GET', 'users/profile/invitations/')).toHaveLength(1));
  expect(screen.getByRole('button', { name: 'Sign out' })).toBeTruthy();
});
