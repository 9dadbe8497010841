import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { expect, test } from 'vitest';
import { setSession } from '#/lib/session';
import { ResourceDetail } from '#/resource/detail/ResourceDetail';
import { ResourceForm } from '#/resource/form/ResourceForm';
import { choices, field, pageOf, recordedServer } from '#/test/recorded';
import { adminSession, renderScreen } from '#/test/render';
import { SystemUserCreatePage } from './SystemUserCreatePage';
import { createMenu } from './system-user-form';
import { systemUser } from './system-user.resource';

const written = {
  name: field('Name', { required: true }),
  type: field('Type', { type: 'choice', choices: choices('common', 'admin'), default: 'common' }),
  protocol: field('Protocol', { type: 'choice', choices: choices('ssh', 'rdp', 'vnc', 'mysql', 'k8s') }),
  username: field('Username'),
  username_same_with_user: field('Username same with user', { type: 'boolean', default: false }),
  login_mode: field('Login mode', { type: 'choice', choices: choices('auto', 'manual'), default: 'auto' }),
  auto_generate_key: field('Auto generate key', { type: 'boolean', write_only: true }),
  password: field('Password', { write_only: true }),
  private_key: field('SSH private key', { write_only: true }),
  token: field('Token', { write_only: true }),
  ad_domain: field('Ad domain'),
  auto_push: field('Auto push', { type: 'boolean', default: true }),
  sudo: field('Sudo', { default: '/bin/whoami' }),
  shell: field('Shell', { default: '/bin/bash' }),
  home: field('Home'),
  system_groups: field('System groups'),
  cmd_filters: field('Command filters', { type: 'field' }),
  priority: field('Priority', { type: 'integer', default: 81 }),
  sftp_root: field('SFTP root', { default: 'tmp' }),
  comment: field('Comment'),
};
const metadata = {
  name: 'SystemUser',
  actions: { GET: written, POST: written, PUT: written, PATCH: written },
};

const deploy = {
  id: 'su1',
  name: 'deploy',
  username: 'deploy',
  type: 'common',
  type_display: 'Common user',
  protocol: 'ssh',
  login_mode: 'auto',
  login_mode_display: 'Automatic managed',
  username_same_with_user: false,
  auto_push: true,
  sudo: '/bin/ls',
  shell: '/bin/sh',
  home: '/srv/deploy',
  system_groups: '',
  priority: 81,
  sftp_root: 'tmp',
  cmd_filters: [],
  assets_amount: 1,
  ssh_key_fingerprint: '',
  comment: '',
};
const account = {
  id: 'a1',
  asset: 'h1',
  asset_display: 'web-1',
  systemuser: 'su1',
  connectivity: 'failed',
  date_verified: null,
};

const { server, sent } = recordedServer(
  () => [
    mock.options('*/api/v1/assets/*', () => HttpResponse.json(metadata)),
    mock.get('*/api/v1/assets/system-users/:id/', () => HttpResponse.json(deploy)),
    mock.get('*/api/v1/assets/cmd-filters/', () => HttpResponse.json(pageOf([]))),
    mock.get('*/api/v1/assets/system-users-assets-relations/', () => HttpResponse.json(pageOf([account]))),
    mock.get('*/api/v1/assets/system-users-nodes-relations/', () => HttpResponse.json(pageOf([]))),
    mock.post('*/api/v1/assets/*', () => HttpResponse.json({ ...deploy, task: 'j1' }, { status: 201 })),
    mock.put('*/api/v1/assets/*', () => HttpResponse.json(deploy)),
    mock.patch('*/api/v1/assets/*', () => HttpResponse.json(deploy)),
    mock.get('*/api/v1/*', () => HttpResponse.json(pageOf([]))),
  ],
  () => [import('./SystemUserAssets'), import('./command-filters/FilterCards')],
);

const CREATE = '/assets/system-users/create';

async function openCreate(query: string) {
  window.history.replaceState(null, '', `/?${query}`);
  await renderScreen(<SystemUserCreatePage />, { address: `${CREATE}?${query}`, pattern: CREATE });
  await screen.findByLabelText(/^\*?Name/);
}

/** The labels of the form in their order, by group. */
function shownFields(): Record<string, readonly string[]> {
  const groups = screen.getAllByRole('group').filter((group) => group.querySelector('legend'));
  return Object.fromEntries(
    groups.map((group) => [
      group.querySelector('legend')?.textContent,
      Object.values(written)
        .map(({ label }) => label)
        .concat('Update password')
        .filter((label) => within(group).queryAllByText(label, { exact: true }).length > 0),
    ]),
  );
}

test.each([
  [
    'protocol=ssh',
    {
      Basic: ['Name', 'Protocol', 'Username', 'Username same with user'],
      Authentication: ['Login mode', 'Auto generate key', 'Password', 'SSH private key'],
      'Auto push': ['Auto push', 'Sudo', 'Shell', 'Home', 'System groups'],
      'Command filters': ['Command filters'],
      Other: ['Priority', 'SFTP root', 'Comment'],
    },
  ],
  [
    'protocol=rdp',
    {
      Basic: ['Name', 'Protocol', 'Username', 'Username same with user'],
      Authentication: ['Login mode', 'Auto generate key', 'Password', 'Ad domain'],
      'Auto push': ['Auto push', 'System groups'],
      Other: ['Priority', 'Comment'],
    },
  ],
  [
    'protocol=vnc',
    {
      Basic: ['Name', 'Protocol', 'Username', 'Username same with user'],
      Authentication: ['Login mode', 'Password'],
      Other: ['Priority', 'Comment'],
    },
  ],
  [
    'protocol=mysql',
    {
      Basic: ['Name', 'Protocol', 'Username', 'Login mode', 'Priority'],
      Authentication: ['Password'],
      Other: ['Comment'],
    },
  ],
  [
    'protocol=k8s',
    { Basic: ['Name', 'Protocol'], Authentication: ['Token'], Other: ['Priority', 'Comment'] },
  ],
  [
    'type=admin&protocol=rdp',
    {
      Basic: ['Name', 'Protocol', 'Username'],
      Authentication: ['Password', 'SSH private key'],
      'Command filters': ['Command filters'],
      Other: ['Priority', 'SFTP root', 'Comment'],
    },
  ],
])('[S2-040] the form of %s has the fields of its protocol', async (query, groups) => {
  await openCreate(query);
  const shown = shownFields();
  expect(Object.keys(shown)).toEqual(Object.keys(groups));
  for (const [title, labels] of Object.entries(groups)) {
    expect(new Set(shown[title]?.filter((label) => label !== title || labels.includes(title)))).toEqual(
      new Set(labels),
    );
  }
});

test('home follows the username until somebody types into it, and a generated key asks for no secret', async () => {
  await openCreate('protocol=ssh');
  const home = () => screen.getByLabelText<HTMLInputElement>('Home').value;
  await userEvent.type(screen.getByLabelText(/^\*?Name/), 'deploy');
  await userEvent.type(screen.getByLabelText('Username'), 'dep');
  await waitFor(() => expect(home()).toBe('/home/dep'));
  await userEvent.type(screen.getByLabelText('Home'), '2');
  await userEvent.type(screen.getByLabelText('Username'), 'loy');
  expect(home()).toBe('/home/dep2');
  await userEvent.click(screen.getByLabelText('Auto generate key'));
  expect(screen.queryByLabelText('Password')).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(sent('POST', 'assets/system-users/')).toHaveLength(1));
  await waitFor(() =>
    expect(sent('POST', 'assets/system-users/')[0]?.body).toMatchObject({
      type: 'common',
      protocol: 'ssh',
      username: 'deploy',
      home: '/home/dep2',
      auto_generate_key: true,
      auto_push: true,
    }),
  );
  expect(sent('POST', 'assets/system-users/')[0]?.body).not.toHaveProperty('password');
});

test('manual login leaves out secrets and auto push', async () => {
  await openCreate('protocol=ssh');
  await userEvent.click(screen.getByLabelText('the manual'));
  for (const label of ['Password', 'SSH private key', 'Auto generate key', 'Sudo', 'Home']) {
    expect(screen.queryByLabelText(label)).toBeNull();
  }
  expect(screen.queryByRole('group', { name: 'Auto push' })).toBeNull();
});

test('[S2-175] an admin user is created on its own list', async () => {
  await openCreate('type=admin&protocol=ssh');
  await userEvent.type(screen.getByLabelText(/^\*?Name/), 'root');
  await userEvent.type(screen.getByLabelText('Username'), 'root');
  await userEvent.type(screen.getByLabelText('Password'), 'canary');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(sent('POST', 'assets/admin-users/')[0]?.body).toMatchObject({ type: 'admin', password: 'canary' }),
  );
  expect(sent('POST', 'assets/system-users/')).toEqual([]);
});

test('[S2-041] secrets are asked for on update only when they are to change', async () => {
  const address = '/assets/system-users/su1/update';
  await renderScreen(<ResourceForm resource={systemUser} mode="update" />, {
    address,
    pattern: '/assets/system-users/$id/update',
  });
  expect(await screen.findByLabelText('Update password')).toHaveProperty('checked', false);
  for (const label of ['Password', 'SSH private key', 'Auto generate key']) {
    expect(screen.queryByLabelText(label)).toBeNull();
  }
  // The stored path stays, whatever the username.
  expect(screen.getByLabelText<HTMLInputElement>('Home').value).toBe('/srv/deploy');
  await userEvent.click(screen.getByLabelText('Update password'));
  await userEvent.type(screen.getByLabelText('Password'), 'fresh');
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(sent('PUT', 'assets/system-users/su1/')[0]?.body).toMatchObject({ password: 'fresh' }),
  );
  const body = sent('PUT', 'assets/system-users/su1/')[0]?.body;
  for (const name of ['type', 'update_password', 'private_key', 'token'])
    expect(body).not.toHaveProperty(name);
});

test('the create menu names databases that need a licence only with one', () => {
  setSession(adminSession);
  const ids = () => createMenu().map((entry) => entry.id);
  expect(ids()).toEqual(['ssh', 'rdp', 'vnc', 'telnet', 'mysql', 'k8s']);
  setSession({ ...adminSession, settings: { XPACK_LICENSE_IS_VALID: true } });
  expect(ids()).toEqual(['ssh', 'rdp', 'vnc', 'telnet', 'mysql', 'postgresql', 'mariadb', 'oracle', 'k8s']);
});

async function openDetail(row: object, tab: string) {
  server.use(mock.get('*/api/v1/assets/system-users/:id/', () => HttpResponse.json(row)));
  await renderScreen(<ResourceDetail resource={systemUser} />, {
    address: `/assets/system-users/su1?activeTab=${tab}`,
    pattern: '/assets/system-users/$id',
  });
}

test('[S2-042] auto push is switched on the page of an SSH system user, and not of an admin user', async () => {
  await openDetail(deploy, 'basic');
  await userEvent.click(await screen.findByRole('switch', { name: 'Auto push' }));
  await waitFor(() =>
    expect(sent('PATCH', 'assets/system-users/su1/')[0]?.body).toEqual({ auto_push: false }),
  );
});

test('an admin user has no auto push and no push', async () => {
  await openDetail({ ...deploy, type: 'admin', auto_push: false }, 'basic');
  await screen.findByText('Test accounts');
  expect(screen.queryByText('Auto push')).toBeNull();
  expect(screen.queryByText('Push accounts')).toBeNull();
  expect(screen.queryByText('Sudo')).toBeNull();
});

test.each([
  ['ssh', true],
  ['rdp', true],
  ['vnc', false],
])('the accounts of a system user with %s can be tested and pushed: %s', async (protocol, isOffered) => {
  await openDetail({ ...deploy, protocol }, 'basic');
  await screen.findByText('Priority');
  for (const name of ['Test accounts', 'Push accounts'])
    expect(screen.queryByText(name) !== null).toBe(isOffered);
});

test('an asset of the system user is pushed and tested by its row', async () => {
  await openDetail(deploy, 'assets');
  const row = (await screen.findByRole('link', { name: 'web-1' })).closest('tr');
  if (row === null) throw new Error('no row');
  expect(within(row).getByText('Refused')).toBeTruthy();
  await userEvent.click(within(row).getByRole('button', { name: 'Push web-1' }));
  await waitFor(() =>
    expect(sent('POST', 'assets/system-users/su1/tasks/')[0]?.body).toEqual({
      action: 'push',
      assets: ['h1'],
    }),
  );
  await userEvent.click(screen.getByRole('button', { name: 'Test all' }));
  await waitFor(() =>
    expect(sent('POST', 'assets/system-users/su1/tasks/')[1]?.body).toEqual({ action: 'test' }),
  );
});
