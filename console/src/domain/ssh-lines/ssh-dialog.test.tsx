import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { beforeEach, expect, test, vi } from 'vitest';
import { recordedServer } from '#/test/recorded';
import { Role } from '#/lib/permissions';
import type { Session } from '#/lib/session';
import { adminSession, renderScreen } from '#/test/render';
import { SshButton } from './SshButton';

const deploy = {
  id: 'd',
  name: 'deploy',
  username: 'root',
  protocol: 'ssh',
  priority: 50,
  actions: ['connect', 'upload_file'],
};
const viewer = {
  id: 'v',
  name: 'viewer',
  username: 'viewer',
  protocol: 'ssh',
  priority: 20,
  actions: ['connect'],
};
const desktop = { ...viewer, id: 'r', name: 'desktop', protocol: 'rdp', priority: 90 };
let address = { host: 'gate.example.com', port: 2222 };

const { server } = recordedServer(
  () => [
    mock.get('*/api/v1/terminal/ssh-address/', () => HttpResponse.json(address)),
    mock.get('*/api/v1/perms/users/assets/a1/system-users/', () =>
      HttpResponse.json([viewer, desktop, deploy]),
    ),
  ],
  () => [import('./SshDialog')],
);

const copied: string[] = [];
beforeEach(() => {
  copied.length = 0;
  address = { host: 'gate.example.com', port: 2222 };
});

const person: Session = {
  ...adminSession,
  roles: [Role.User],
  permissions: Role.User,
  currentRole: Role.User,
};

async function open(session: Session = adminSession) {
  await renderScreen(<SshButton asset={{ id: 'a1', name: 'shop-1' }} />, { session });
  const user = userEvent.setup();
  vi.spyOn(navigator.clipboard, 'writeText').mockImplementation((text) => {
    copied.push(text);
    return Promise.resolve();
  });
  await user.click(await screen.findByRole('button', { name: 'Lines for your own SSH client: shop-1' }));
  return { user, dialog: within(await screen.findByRole('dialog')) };
}

test('the command for the best system user can be copied at once', async () => {
  const { user, dialog } = await open();
  await user.click(await dialog.findByRole('button', { name: 'Copy: Shell' }));
  await user.click(dialog.getByRole('button', { name: 'Copy: Files with sftp' }));
  await user.click(dialog.getByRole('button', { name: 'Copy: Copy a file to /tmp' }));
  expect(copied).toEqual([
    'ssh -p 2222 admin=deploy=shop-1@gate.example.com',
    'sftp -P 2222 admin=deploy=shop-1@gate.example.com',
    'scp -P 2222 FILE admin=deploy=shop-1@gate.example.com:/tmp/',
  ]);
  await user.click(dialog.getByText('For ssh_config and Ansible'));
  await user.click(dialog.getByRole('button', { name: 'Copy: For ~/.ssh/config' }));
  expect(copied.at(-1)).toContain('    User admin=deploy=shop-1');
  expect(dialog.getByRole('link', { name: 'More in the help' }).getAttribute('href')).toContain(
    '/help?topic=docs',
  );
});

test('file transfer commands are shown only if the permission has a file action', async () => {
  const { user, dialog } = await open();
  expect(await dialog.findByText(/^sftp /)).toBeTruthy();
  expect(dialog.queryByText(/desktop/)).toBeNull();
  await user.click(dialog.getByRole('radio', { name: 'viewer' }));
  expect(dialog.getByText('ssh -p 2222 admin=viewer=shop-1@gate.example.com')).toBeTruthy();
  expect(dialog.queryByText(/^sftp /)).toBeNull();
  expect(dialog.queryByText(/^scp /)).toBeNull();
});

test('without a public address the commands use the host name of the page', async () => {
  address = { host: '', port: 22 };
  const { dialog } = await open();
  expect(await dialog.findByText(`ssh admin=deploy=shop-1@${location.hostname}`)).toBeTruthy();
});

test('an asset that is not granted offers an administrator the permission form', async () => {
  server.use(
    mock.get('*/api/v1/perms/users/assets/a1/system-users/', () => HttpResponse.json({}, { status: 404 })),
  );
  const { dialog } = await open();
  const link = await dialog.findByRole('link', { name: 'Create permission' });
  expect(link.getAttribute('href')).toMatch(/\?asset=a1&user=11111111-/);
  expect(dialog.queryByText(/Ask an administrator/)).toBeNull();
});

test('an asset that is not granted says whom to ask', async () => {
  server.use(
    mock.get('*/api/v1/perms/users/assets/a1/system-users/', () => HttpResponse.json({}, { status: 404 })),
  );
  const { dialog } = await open(person);
  expect(
    await dialog.findByText(/You have no SSH system user on shop-1\. Ask an administrator/),
  ).toBeTruthy();
});

test('a failed load can be tried again', async () => {
  let isDown = true;
  server.use(
    mock.get('*/api/v1/perms/users/assets/a1/system-users/', () =>
      isDown ? HttpResponse.json({}, { status: 400 }) : HttpResponse.json([deploy]),
    ),
  );
  const { user, dialog } = await open();
  expect(await dialog.findByText('The system users did not load')).toBeTruthy();
  isDown = false;
  await user.click(dialog.getByRole('button', { name: 'Retry' }));
  await waitFor(() => expect(dialog.getByText(/^ssh -p/)).toBeTruthy());
});

test('a code for SSH is asked for with a click, shown, copied and replaced', async () => {
  let asked = 0;
  server.use(
    mock.post('*/api/v1/authentication/ssh-codes/', () => {
      asked += 1;
      return HttpResponse.json({ code: `ssh-aaaaa-0000${asked}`, date_expired: 'x' }, { status: 201 });
    }),
  );
  const { user, dialog } = await open();
  await user.click(await dialog.findByText('Code for SSH'));
  expect(asked).toBe(0);
  await user.click(dialog.getByRole('button', { name: 'Get a code' }));
  await dialog.findByText('ssh-aaaaa-00001');
  await user.click(dialog.getByRole('button', { name: 'Copy: Code for SSH' }));
  await user.click(dialog.getByRole('button', { name: 'Get another code' }));
  await dialog.findByText('ssh-aaaaa-00002');
  expect(dialog.queryByText('ssh-aaaaa-00001')).toBeNull();
  expect(copied).toEqual(['ssh-aaaaa-00001']);
});

test('a code for SSH that is refused says why', async () => {
  server.use(
    mock.post('*/api/v1/authentication/ssh-codes/', () =>
      HttpResponse.json(
        { detail: 'Codes for SSH are switched off.', code: 'ssh_codes_off' },
        { status: 403 },
      ),
    ),
  );
  const { user, dialog } = await open();
  await user.click(await dialog.findByText('Code for SSH'));
  await user.click(dialog.getByRole('button', { name: 'Get a code' }));
  expect(await dialog.findByText('Codes for SSH are switched off.')).not.toBeNull();
});
