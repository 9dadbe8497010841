import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { expect, test, vi } from 'vitest';
import { browserLocation } from '#/lib/browser-location';
import { paths } from '#/lib/paths';
import { Bit, Role } from '#/lib/permissions';
import { recordedServer } from '#/test/recorded';
import { admin, adminSession, renderScreen } from '#/test/render';
import { usePage } from '#/ui/page-title';
import { FirstLoginPage } from './FirstLoginPage';
import { GuidePage } from './GuidePage';

const profile = { ...admin, mfa_level: 0, phone: '', wechat: '', can_public_key_auth: false };
const { sent } = recordedServer(() => [
  mock.get('*/api/v1/users/profile/', () => HttpResponse.json(profile)),
  mock.patch('*/api/v1/users/profile/', () => HttpResponse.json(profile)),
]);
const TEXTS = ['profile'];

test('completing the profile leads to the guide and closes the tab of the form', async () => {
  const assign = vi.spyOn(browserLocation, 'assign').mockReturnValue(undefined);
  usePage.setState({ finished: null });
  await renderScreen(<FirstLoginPage />, { texts: TEXTS });
  await userEvent.click(await screen.findByRole('checkbox'));
  await userEvent.click(screen.getByRole('button', { name: 'Continue' }));
  await waitFor(() => expect(assign).toHaveBeenCalledExactlyOnceWith(`/ui${paths.guide}`));
  expect(sent('PATCH', 'users/profile/')).toMatchObject([{ body: { is_first_login: false } }]);
  expect(usePage.getState().finished).toBe(paths.firstLogin);
});

test.each([
  ['an auditor', Bit.audit, ['Sessions', 'Profile']],
  ['a user', Role.User, ['My assets', 'Web terminal', 'Profile']],
  ['an administrator', Role.OrgAdmin, ['Profile']],
])('the guide leads %s to what they may open', async (_who, currentRole, links) => {
  await renderScreen(<GuidePage />, { session: { ...adminSession, currentRole }, texts: TEXTS });
  const own = await screen.findByRole('link', { name: 'Profile' });
  const list = own.closest('ul');
  expect([...(list?.querySelectorAll('a') ?? [])].map((link) => link.textContent)).toEqual(links);
});
