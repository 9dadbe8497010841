import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Session } from '#/lib/session';
import { ResourceDetail } from '#/resource/detail/ResourceDetail';
import { ResourceForm } from '#/resource/form/ResourceForm';
import { ResourceList } from '#/resource/list/ResourceList';
import { admin, adminSession, renderScreen, rootOrg } from '#/test/render';
import { clearToasts } from '#/ui/toast';
import { group } from './group.resource';
import { user } from './user.resource';

const licensed: Session = { ...adminSession, settings: { XPACK_LICENSE_IS_VALID: true } };
const orgAdmin: Session = { ...adminSession, profile: { ...admin, is_superuser: false, role: 'User' } };

const field = (label: string, more = {}) => ({
  type: 'string',
  required: false,
  read_only: false,
  label,
  max_length: 128,
  ...more,
});
const choices = (...values: readonly (string | number)[]) =>
  values.map((value) => ({ value, display_name: `the ${value}` }));
const written = {
  name: field('Name', { required: true }),
  username: field('Username', { required: true }),
  email: field('Email', { type: 'email', required: true }),
  groups: field('User group', { type: 'field' }),
  password_strategy: field('Password strategy', {
    type: 'choice',
    write_only: true,
    default: 'email',
    choices: choices('email', 'custom'),
  }),
  password: field('Password', { write_only: true }),
  need_update_password: field('Must change password', { type: 'boolean' }),
  public_key: field('Public key', { write_only: true, max_length: undefined }),
  mfa_level: field('MFA', { type: 'choice', choices: choices(0, 1, 2), default: 0 }),
  source: field('Source', { type: 'choice', choices: choices('local', 'ldap', 'openid', 'radius', 'cas') }),
  role: field('Role', { type: 'choice', choices: choices('Admin', 'Auditor', 'User') }),
  org_roles: field('Organization role', {
    type: 'list',
    child: { ...field('', { type: 'choice' }), choices: choices('Admin', 'Auditor', 'User') },
  }),
  date_expired: field('Date expired', { type: 'datetime' }),
  is_active: field('Active', { type: 'boolean', default: true }),
  phone: field('Phone'),
  wechat: field('WeChat'),
  comment: field('Comment', { max_length: undefined }),
};
const shown = {
  ...written,
  ...Object.fromEntries(
    ['groups_display', 'total_role_display', 'is_valid', 'login_blocked', 'mfa_enabled', 'last_login'].map(
      (key) => [key, field(key, { read_only: true })],
    ),
  ),
};
const metadata = { name: 'User', actions: { GET: shown, POST: written, PUT: written } };

const person = (id: string, more = {}) => ({
  id,
  name: `Name ${id}`,
  username: id,
  email: `${id}@example.invalid`,
  source: 'local',
  role: 'User',
  is_active: true,
  is_valid: true,
  is_expired: false,
  login_blocked: false,
  mfa_enabled: false,
  mfa_level: 0,
  groups: [],
  org_roles: ['Auditor'],
  comment: 'nights',
  can_update: true,
  can_delete: true,
  ...more,
});
const people = [person('li'), person('boss', { can_update: false, can_delete: false })];

const server = setupServer();
let requests: { method: string; path: string; query: URLSearchParams; body: unknown }[] = [];

beforeAll(async () => {
  server.listen({ onUnhandledRequest: 'error' });
  // Loaded on demand in the product; here they must not count against the patience of a single test.
  await Promise.all([
    import('#/ui/question-dialog'),
    import('./InviteDialog'),
    import('./PasswordField'),
    import('./UserGroupsCard'),
  ]);
}, 60_000);
beforeEach(() => {
  requests = [];
  clearToasts();
  server.events.on('request:start', ({ request }) => {
    const url = new URL(request.url);
    const entry = {
      method: request.method,
      path: url.pathname,
      query: url.searchParams,
      body: null as unknown,
    };
    requests.push(entry);
    void request
      .clone()
      .text()
      .then((text) => {
        entry.body = text === '' ? null : (JSON.parse(text) as unknown);
      });
  });
  const page = (rows: readonly unknown[]) =>
    HttpResponse.json({ count: rows.length, next: null, previous: null, results: rows });
  server.use(
    mock.options('*/api/v1/users/*', () => HttpResponse.json(metadata)),
    mock.get('*/api/v1/users/users/suggestion/', () =>
      page([{ id: 'g1', name: 'Guest', username: 'guest' }]),
    ),
    mock.get('*/api/v1/users/users-groups-relations/', () => page([])),
    mock.get('*/api/v1/users/groups/', () => page([])),
    mock.get('*/api/v1/users/users/:id/', ({ params }) =>
      HttpResponse.json(people.find((one) => one.id === params['id']) ?? person(String(params['id']))),
    ),
    mock.get('*/api/v1/users/users/', () => page(people)),
    mock.post('*/api/v1/common/resources/cache/', () => HttpResponse.json({ spm: 'spm-1' })),
  );
});
afterEach(() => {
  server.events.removeAllListeners();
  server.resetHandlers();
});
afterAll(() => server.close());

const sent = (method: string, path: string) =>
  requests.filter((request) => request.method === method && request.path === `/api/v1/${path}`);
const menuOf = async (name: string) => {
  await userEvent.click(await screen.findByRole('button', { name: `Actions of ${name}` }));
  return screen.getAllByRole('menuitem').map((item) => item.textContent);
};

describe('list', () => {
  const list = <ResourceList resource={user} />;

  test('[S1-011] shows the columns of the contract and offers the others', async () => {
    await renderScreen(list);
    await screen.findByRole('link', { name: 'Name li' });
    const heads = screen.getAllByRole('columnheader').map((head) => head.textContent.trim());
    expect(heads.filter((head) => head !== '')).toEqual([
      'Name',
      'Username',
      'User groups',
      'Roles',
      'Source',
      'State',
      'Actions',
    ]);
    expect(user.list.columns.map((one) => (typeof one === 'string' ? one : one.key))).toEqual(
      expect.arrayContaining([
        'email',
        'phone',
        'wechat',
        'login_blocked',
        'mfa_enabled',
        'is_expired',
        'mfa_force_enabled',
        'last_login',
        'date_joined',
        'date_password_last_updated',
        'comment',
        'created_by',
      ]),
    );
  });

  test('whoever may not be changed or deleted keeps the actions, with the reason', async () => {
    await renderScreen(list);
    const update = await screen.findByRole('button', { name: 'Update Name boss (boss)' });
    expect(update.getAttribute('aria-disabled')).toBe('true');
    await menuOf('Name boss (boss)');
    expect(screen.getByRole('menuitem', { name: /Delete/ }).getAttribute('aria-disabled')).toBe('true');
  });

  test('only super administrators delete accounts', async () => {
    await renderScreen(list, { session: orgAdmin });
    expect(await screen.findByRole('button', { name: 'Update Name li (li)' })).toBeTruthy();
    await userEvent.click(screen.getByRole('checkbox', { name: 'Select Name li (li)' }));
    const bar = screen.getByRole('region', { name: 'Actions for the selection' });
    expect(within(bar).getByRole('button', { name: 'Deactivate' })).toBeTruthy();
    expect(within(bar).queryByRole('button', { name: 'Delete' })).toBeNull();
    expect(screen.queryByRole('menuitem', { name: /Delete/ })).toBeNull();
  });

  test('a selection is activated and deactivated with one request', async () => {
    server.use(mock.patch('*/api/v1/users/users/', () => HttpResponse.json([])));
    await renderScreen(list);
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Select Name li (li)' }));
    await userEvent.click(screen.getByRole('checkbox', { name: 'Select Name boss (boss)' }));
    await userEvent.click(screen.getByRole('button', { name: 'Deactivate' }));
    expect(await screen.findByText('2 users deactivated')).toBeTruthy();
    expect(sent('PATCH', 'users/users/').map((one) => one.body)).toEqual([
      [
        { id: 'li', is_active: false },
        { id: 'boss', is_active: false },
      ],
    ]);
  });

  test('inviting and removing need a licence and an organization that is not the root', async () => {
    const plain = await renderScreen(list);
    expect(await menuOf('Name li (li)')).toEqual(['Delete', 'Clone']);
    expect(screen.queryByRole('button', { name: 'Invite' })).toBeNull();
    plain.unmount();
    const root = await renderScreen(list, { session: { ...licensed, organization: rootOrg } });
    expect(await menuOf('Name li (li)')).toHaveLength(2);
    expect(screen.queryByRole('button', { name: 'Invite' })).toBeNull();
    root.unmount();
    await renderScreen(list, { session: licensed });
    expect(await menuOf('Name li (li)')).toEqual(['Delete', 'Clone', 'Remove from organization']);
    expect(screen.getByRole('button', { name: 'Invite' })).toBeTruthy();
  });

  test('removing asks with name and organization; the account is not deleted', async () => {
    server.use(mock.post('*/api/v1/users/users/li/remove/', () => new HttpResponse(null, { status: 204 })));
    await renderScreen(list, { session: licensed });
    await menuOf('Name li (li)');
    await userEvent.click(screen.getByRole('menuitem', { name: 'Remove from organization' }));
    const dialog = await screen.findByRole('alertdialog', {
      name: 'Remove “Name li” from organization “Default”?',
    });
    await userEvent.click(within(dialog).getByRole('button', { name: 'Remove' }));
    expect(await screen.findByText('Name li removed')).toBeTruthy();
    expect(sent('POST', 'users/users/li/remove/')).toHaveLength(1);
    expect(requests.some((request) => request.method === 'DELETE')).toBe(false);
  });

  test('a selection is removed through its spm', async () => {
    server.use(mock.post('*/api/v1/users/users/remove/', () => new HttpResponse(null, { status: 204 })));
    await renderScreen(list, { session: licensed });
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Select Name li (li)' }));
    await userEvent.click(screen.getByRole('checkbox', { name: 'Select Name boss (boss)' }));
    const bar = screen.getByRole('region', { name: 'Actions for the selection' });
    await userEvent.click(within(bar).getByRole('button', { name: 'Remove from organization' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Remove 2' }));
    expect(await screen.findByText('2 users removed')).toBeTruthy();
    expect(sent('POST', 'users/users/remove/')[0]?.query.get('spm')).toBe('spm-1');
    expect(sent('POST', 'common/resources/cache/')[0]?.body).toEqual({ resources: ['li', 'boss'] });
  });

  test('an invitation gives each chosen person each chosen role', async () => {
    server.use(mock.post('*/api/v1/users/users/invite/', () => HttpResponse.json([], { status: 201 })));
    await renderScreen(list, { session: licensed });
    await userEvent.click(await screen.findByRole('button', { name: 'Invite' }));
    const dialog = await screen.findByRole('dialog', { name: 'Invite users to “Default”' });
    await userEvent.click(within(dialog).getByRole('button', { name: 'Invite' }));
    expect(await within(dialog).findByText('This field is required')).toBeTruthy();
    await userEvent.type(within(dialog).getByRole('combobox', { name: 'Users' }), 'gue');
    await userEvent.click(await screen.findByRole('option', { name: /Guest/ }));
    await userEvent.click(within(dialog).getByRole('checkbox', { name: 'Organization auditor' }));
    await userEvent.click(within(dialog).getByRole('button', { name: 'Invite' }));
    expect(await screen.findByText('1 user invited')).toBeTruthy();
    expect(sent('POST', 'users/users/invite/')[0]?.body).toEqual([
      { user: 'g1', role: 'User' },
      { user: 'g1', role: 'Auditor' },
    ]);
    expect(sent('GET', 'users/users/suggestion/').at(-1)?.query.get('search')).toBe('gue');
  });
});

describe('form', () => {
  const create = <ResourceForm resource={user} mode="create" />;
  const update = <ResourceForm resource={user} mode="update" />;
  const atUpdate = { address: '/users/users/li/update', pattern: '/users/users/$id/update' };

  test('the password is asked for as the strategy, the source and the mode say', async () => {
    const first = await renderScreen(create);
    expect(await screen.findByLabelText(/^\*?Password$/)).toBeTruthy();
    await userEvent.click(screen.getByRole('radio', { name: 'the email' }));
    expect(screen.queryByLabelText(/^\*?Password$/)).toBeNull();
    first.unmount();
    await renderScreen(update, atUpdate);
    const change = await screen.findByRole('checkbox', { name: 'Change password' });
    expect(screen.queryByRole('radio', { name: 'the email' })).toBeNull();
    expect(screen.queryByLabelText(/^\*?Password$/)).toBeNull();
    await userEvent.click(change);
    expect(await screen.findByLabelText(/^\*?Password$/)).toBeTruthy();
    expect(screen.queryByLabelText(/Public key/)).toBeNull();
    await userEvent.click(screen.getByRole('checkbox', { name: 'Set SSH public key' }));
    expect(screen.getByLabelText(/Public key/)).toBeTruthy();
  });

  test('an update sends neither secrets nor the questions of the form', async () => {
    server.use(mock.put('*/api/v1/users/users/li/', () => HttpResponse.json(people[0])));
    await renderScreen(update, atUpdate);
    const comment = await screen.findByLabelText(/Comment/);
    await userEvent.type(comment, ' only');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(sent('PUT', 'users/users/li/')).toHaveLength(1));
    const body = sent('PUT', 'users/users/li/')[0]?.body as Record<string, unknown>;
    expect(body).toMatchObject({ username: 'li', comment: 'nights only', role: 'User' });
    for (const name of [
      'password',
      'public_key',
      'password_strategy',
      'update_password',
      'set_public_key',
      'org_roles',
    ])
      expect(Object.keys(body)).not.toContain(name);
  });

  test('roles: the system role for super administrators, those of the organization with a licence', async () => {
    const first = await renderScreen(create, { session: orgAdmin });
    await screen.findByLabelText(/Username/);
    expect(screen.queryByRole('radio', { name: 'the Admin' })).toBeNull();
    expect(screen.queryByRole('checkbox', { name: 'the Admin' })).toBeNull();
    first.unmount();
    await renderScreen(create, { session: licensed });
    expect(await screen.findByRole('radio', { name: 'the Admin' })).toBeTruthy();
    const auditor = screen.getByRole<HTMLInputElement>('checkbox', { name: 'the Auditor' });
    expect(auditor.checked).toBe(false);
    expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'the User' }).checked).toBe(true);
  });

  test('a person who sets his own password: no password is sent, and the link is shown before the form is left', async () => {
    server.use(
      mock.post('*/api/v1/users/users/', () =>
        HttpResponse.json(
          { ...person('eve'), set_password_link: { url: '/ui/set-password#once', date_expired: '' } },
          { status: 201 },
        ),
      ),
    );
    const { router } = await renderScreen(create, { session: licensed });
    await userEvent.type(await screen.findByLabelText(/^\*?Name$/), 'Eve');
    await userEvent.type(screen.getByLabelText(/Username/), 'eve');
    await userEvent.type(screen.getByLabelText(/Email/), 'eve@example.invalid');
    await userEvent.click(screen.getByRole('checkbox', { name: 'the Auditor' }));
    await userEvent.click(screen.getByRole('radio', { name: 'the email' }));
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect(await screen.findByText(/set-password#once/)).toBeTruthy();
    expect(router.state.location.pathname).toBe('/');
    const body = sent('POST', 'users/users/')[0]?.body as Record<string, unknown>;
    expect(body).toMatchObject({ password_strategy: 'email', org_roles: ['Auditor', 'User'], groups: [] });
    expect(body).not.toHaveProperty('password');
    await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/users/users'));
  });

  test('[S2-004] [S7-050] a clone has what is not personal, and the usual start for what the origin does not show', async () => {
    await renderScreen(create, { address: '/?clone_from=li' });
    expect((await screen.findByLabelText<HTMLTextAreaElement>(/Comment/)).value).toBe('nights');
    for (const name of [/^\*?Name$/, /Username/, /Email/])
      expect(screen.getByLabelText<HTMLInputElement>(name).value).toBe('');
    expect(screen.getByRole<HTMLInputElement>('radio', { name: 'the custom' }).checked).toBe(true);
    expect(sent('GET', 'users/users/li/')).toHaveLength(1);
  });

  test('in the root organization groups are not offered', async () => {
    await renderScreen(create, { session: { ...licensed, organization: rootOrg } });
    await screen.findByLabelText(/Username/);
    expect(screen.queryByRole('combobox', { name: 'User group' })).toBeNull();
    expect(screen.getByRole<HTMLInputElement>('checkbox', { name: 'the User' }).disabled).toBe(true);
  });
});

describe('detail', () => {
  const detail = <ResourceDetail resource={user} />;
  const at = (id: string) => ({ address: `/users/users/${id}`, pattern: '/users/users/$id' });
  const button = async (action: string) => {
    const item = (await screen.findByText(action)).closest('li');
    return within(item as HTMLElement).getByRole('button');
  };
  const off = async (action: string) => (await button(action)).getAttribute('aria-disabled') === 'true';

  test('quick actions are closed where there is nothing to do', async () => {
    server.use(
      mock.get('*/api/v1/users/users/ldap/', () => HttpResponse.json(person('ldap', { source: 'ldap' }))),
    );
    await renderScreen(detail, at('ldap'));
    expect(await off('Reset MFA')).toBe(true);
    expect(await off('Reset password')).toBe(true);
    expect(await off('Sign-in lock')).toBe(true);
    expect(await off('Clear SSH key')).toBe(false);
    expect(screen.getByText('MFA is not set up')).toBeTruthy();
  });

  test('MFA, key and lock are reset after a question that names the person', async () => {
    server.use(
      mock.get('*/api/v1/users/users/eve/', () =>
        HttpResponse.json(person('eve', { mfa_enabled: true, login_blocked: true })),
      ),
      mock.post('*/api/v1/users/users/eve/otp/reset/', () => HttpResponse.json({ msg: 'success' })),
      mock.patch('*/api/v1/users/users/eve/pubkey/reset/', () => HttpResponse.json(person('eve'))),
      mock.patch('*/api/v1/users/users/eve/unblock/', () => HttpResponse.json(person('eve'))),
    );
    await renderScreen(detail, at('eve'));
    for (const [action, question, method, path] of [
      ['Reset MFA', 'Reset MFA of Name eve?', 'POST', 'otp/reset/'],
      ['Clear SSH key', 'Remove the SSH public keys of Name eve?', 'PATCH', 'pubkey/reset/'],
    ] as const) {
      await userEvent.click(await button(action));
      const dialog = await screen.findByRole('alertdialog', { name: question });
      expect(sent(method, `users/users/eve/${path}`)).toHaveLength(0);
      await userEvent.click(within(dialog).getByRole('button', { name: 'Reset' }));
      await waitFor(() => expect(sent(method, `users/users/eve/${path}`)).toHaveLength(1));
    }
    await userEvent.click(await button('Sign-in lock'));
    await waitFor(() => expect(sent('PATCH', 'users/users/eve/unblock/')).toHaveLength(1));
  });

  test('nobody resets his own MFA here', async () => {
    server.use(
      mock.get('*/api/v1/users/users/:id/', () => HttpResponse.json(person(admin.id, { mfa_enabled: true }))),
    );
    await renderScreen(detail, at(admin.id));
    expect(await off('Reset MFA')).toBe(true);
    expect(screen.getByText('Reset your own MFA on your profile page')).toBeTruthy();
  });
});

test('[S1-012] the list of groups shows name, number of members and comment', async () => {
  const groupFields = { name: field('Name'), users_amount: field('Users amount'), comment: field('Comment') };
  server.use(
    mock.options('*/api/v1/users/groups/', () =>
      HttpResponse.json({ name: 'Group', actions: { GET: groupFields, POST: groupFields } }),
    ),
    mock.get('*/api/v1/users/groups/', () =>
      HttpResponse.json({
        count: 1,
        next: null,
        previous: null,
        results: [{ id: 'g1', name: 'dba', users: [], users_amount: 3, comment: 'nights' }],
      }),
    ),
  );
  await renderScreen(<ResourceList resource={group} />);
  expect((await screen.findByRole('link', { name: '3' })).getAttribute('href')).toContain('/users/groups/g1');
  const heads = screen.getAllByRole('columnheader').map((head) => head.textContent.trim());
  expect(heads.filter((head) => head !== '')).toEqual(['Name', 'Users amount', 'Comment', 'Actions']);
});
