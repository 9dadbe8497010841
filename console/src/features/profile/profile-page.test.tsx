import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { lazy, Suspense } from 'react';
import { expect, test, vi } from 'vitest';
import { browserLocation } from '#/lib/browser-location';
import { loadNamespaces } from '#/lib/i18n';
import { recordedServer } from '#/test/recorded';
import { admin, renderScreen } from '#/test/render';
import { ProfilePage } from './ProfilePage';

const profile = {
  ...admin,
  role_display: 'System administrator',
  source_display: 'Local',
  mfa_level: 0,
  mfa_level_display: 'Disable',
  is_active: true,
  phone: '12345',
  language: '',
  wechat: '',
  comment: 'nights',
  groups_display: 'ops',
  can_public_key_auth: true,
  public_key_comment: 'li@laptop',
  public_key_hash_md5: 'aa:bb',
  date_joined: '2026/01/05 09:00:00 +0800',
  last_login: '2026/11/20 09:00:00 +0800',
  date_password_last_updated: '2026/10/01 09:00:00 +0800',
  date_expired: '2096/01/05 09:00:00 +0800',
};

const { server, sent } = recordedServer(() => [
  mock.get('*/api/v1/users/profile/invitations/', () => HttpResponse.json([])),
  mock.get('*/api/v1/users/profile/', () => HttpResponse.json(profile)),
  mock.patch('*/api/v1/users/profile/', () => HttpResponse.json(profile)),
  mock.get('*/api/v1/authentication/passkeys/', () =>
    HttpResponse.json({ results: [], origin: location.origin, problem: '', limit: 10 }),
  ),
  mock.get('*/api/v1/authentication/otp/', () =>
    HttpResponse.json({
      is_set: false,
      level: 0,
      forced: false,
      recovery_codes_left: 0,
      date_confirmed: null,
    }),
  ),
]);

async function showTab(tab: string, address = '/') {
  // As the route does: load the texts first.
  const Page = lazy(async () => {
    await loadNamespaces(['profile', 'mfa']);
    return { default: ProfilePage };
  });
  await renderScreen(
    <Suspense>
      <Page />
    </Suspense>,
    { address },
  );
  await userEvent.click(await screen.findByRole('tab', { name: tab }));
  return screen.getByRole('tabpanel', { name: tab });
}

test('a person accepts or declines an invitation', async () => {
  const open = ['Branch', 'Works'].map((name) => ({
    id: name,
    org_display: name,
    roles: ['Auditor'],
    created_by: 'Zhao(zhao)',
    date_expired: '2027/01/05 09:00:00 +0800',
  }));
  const answered = mock.post('*/api/v1/users/profile/invitations/:id/:verb/', ({ params }) => {
    open.splice(
      open.findIndex((invitation) => invitation.id === params['id']),
      1,
    );
    return HttpResponse.json({ msg: 'ok' });
  });
  server.use(
    mock.get('*/api/v1/users/profile/invitations/', () => HttpResponse.json(open)),
    answered,
  );
  const panel = await showTab('Basic info');
  await userEvent.click(
    await within(panel).findByRole('button', { name: 'Accept the invitation to “Branch”' }),
  );
  expect(await screen.findByText('You have joined “Branch”')).toBeTruthy();
  await userEvent.click(within(panel).getByRole('button', { name: 'Decline the invitation to “Works”' }));
  expect(await screen.findByText('Invitation to “Works” declined')).toBeTruthy();
  await waitFor(() => expect(within(panel).queryByText('Invitations to organizations')).toBeNull());
  expect(sent('POST', 'users/profile/invitations/Branch/accept/')).toHaveLength(1);
  expect(sent('POST', 'users/profile/invitations/Works/decline/')).toHaveLength(1);
});

test('it shows the fields that the contract names', async () => {
  const panel = await showTab('Basic info');
  const terms = within(panel)
    .getAllByRole('term')
    .map((term) => term.textContent);
  for (const label of [
    'Username',
    'Name',
    'Role',
    'Email',
    'Active',
    'SSH public key',
    'MFA',
    'Source',
    'Created',
    'Last sign-in',
    'Password changed',
    'Expires',
    'User groups',
    'Comment',
  ]) {
    expect(terms).toContain(label);
  }
  expect(within(panel).getByText('li@laptop aa:bb')).toBeTruthy();
});

test('a password change offers to revoke keys, and reloads the list of keys afterwards', async () => {
  let keys = [{ id: 'key-1', is_active: true, date_last_used: null }];
  server.use(
    mock.get('*/api/v1/users/profile/credentials/', () =>
      HttpResponse.json({ access_keys: keys, public_keys: [] }),
    ),
    mock.put('*/api/v1/users/profile/password/', () => {
      keys = [];
      return HttpResponse.json({});
    }),
  );
  const panel = await showTab('Password');
  await userEvent.click(await within(panel).findByRole('checkbox', { name: 'Delete access keys (1)' }));
  for (const [label, value] of [
    ['Current password', 'old'],
    ['New password', 'new'],
    ['New password again', 'new'],
  ] as const) {
    await userEvent.type(within(panel).getByLabelText(new RegExp(`^\\*?${label}$`)), value);
  }
  await userEvent.click(within(panel).getByRole('button', { name: 'Change password' }));
  expect(await within(panel).findByText('You have no access keys and no SSH keys.')).toBeTruthy();
  expect(sent('PUT', 'users/profile/password/')[0]?.body).toMatchObject({ end: ['access_keys'] });
});

test('a person changes their phone and similar fields; only an administrator changes the account', async () => {
  const panel = await showTab('Settings');
  for (const label of ['Username', 'Name', 'Email']) {
    expect(within(panel).getByLabelText<HTMLInputElement>(label).disabled).toBe(true);
  }
  const phone = within(panel).getByLabelText<HTMLInputElement>('Phone');
  expect(phone.value).toBe('12345');
  await userEvent.type(phone, '6');
  await userEvent.click(within(panel).getByRole('button', { name: /Not chosen.*Language/ }));
  await userEvent.click(await screen.findByRole('option', { name: '中文(简体)' }));
  await userEvent.click(within(panel).getByRole('button', { name: 'Save' }));
  expect(await screen.findByText('Profile updated')).toBeTruthy();
  expect(sent('PATCH', 'users/profile/')[0]?.body).toEqual({
    phone: '123456',
    language: 'zh-hans',
    wechat: '',
    comment: 'nights',
  });
});

test('back from the provider, the visit is used once and the page that asked for it opens', async () => {
  const assign = vi.spyOn(browserLocation, 'assign').mockImplementation(() => undefined);
  const next = '/ui/users/profile?dialog=mfa-enable';
  server.use(
    mock.get('*/api/v1/authentication/confirmation/', () =>
      HttpResponse.json({ provider: { kind: 'openid', id: 'corp', name: 'Corp' }, is_confirmed: false }),
    ),
    mock.get('*/api/v1/users/profile/', () => HttpResponse.json({ ...profile, source: 'openid' })),
    mock.post('*/api/v1/authentication/confirmation/', () => HttpResponse.json({ next })),
  );
  await showTab('Basic info', '/?activeTab=info&external=v-1&by=confirm');
  await waitFor(() => expect(assign).toHaveBeenCalledExactlyOnceWith(next));
});

test('a refused confirmation says why', async () => {
  server.use(
    mock.post('*/api/v1/authentication/confirmation/', () =>
      HttpResponse.json({ detail: 'Somebody else signed in at Corp.', code: 'x' }, { status: 400 }),
    ),
  );
  await showTab('Basic info', '/?activeTab=info&external=v-2&by=confirm');
  expect(await screen.findByText('Somebody else signed in at Corp.')).toBeTruthy();
});

test('the sign-ins of the person show which are open, and another browser is signed out', async () => {
  const row = (id: string, more: object) => ({
    id,
    remote_addr: `192.0.2.${id}`,
    user_agent: 'Firefox',
    date_created: '2026/11/20 09:00:00 +0800',
    date_ended: null,
    end_reason_display: '',
    is_open: true,
    is_current: false,
    ...more,
  });
  const rows = [
    row('1', { is_current: true }),
    row('2', {}),
    row('3', {
      is_open: false,
      date_ended: '2026/11/20 10:00:00 +0800',
      end_reason_display: 'Password changed',
    }),
    row('4', { is_open: false }),
  ];
  server.use(
    mock.get('*/api/v1/authentication/login-sessions/', () =>
      HttpResponse.json({ count: rows.length, results: rows }),
    ),
    mock.delete('*/api/v1/authentication/login-sessions/2/', () => new HttpResponse(null, { status: 204 })),
  );
  const panel = await showTab('Sign-ins');
  const items = await within(panel).findAllByRole('listitem');
  const states = ['This browser', 'Signed in', 'Password changed', 'Expired'];
  expect(items.map((item, at) => within(item).queryByText(states[at] ?? '') !== null)).toEqual([
    true,
    true,
    true,
    true,
  ]);
  expect(within(panel).getAllByRole('button')).toHaveLength(1);
  await userEvent.click(within(panel).getByRole('button', { name: 'Sign out the browser at 192.0.2.2' }));
  await waitFor(() => expect(sent('DELETE', 'authentication/login-sessions/2/')).toHaveLength(1));
  expect(await screen.findByText('That browser is signed out')).toBeTruthy();
});
