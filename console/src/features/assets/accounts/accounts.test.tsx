import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { beforeEach, describe, expect, test } from 'vitest';
import { queryClient } from '#/lib/query';
import { field, pageOf, recordedServer } from '#/test/recorded';
import { renderScreen } from '#/test/render';
import { hideJob, useShownJob } from '#/domain/jobs/shown-job';
import { AccountsOfAsset, AccountsOfSystemUser } from './Accounts';
import { closeAccountDialog } from './account-actions';

const SECRET = 'canary-own-secret';
const row = {
  id: 'ac1',
  username: 'root',
  hostname: 'web-1',
  ip: '192.0.2.7',
  asset: 'a1',
  systemuser: 's1',
  systemuser_display: 'root on linux',
  version: 3,
  has_own_secret: true,
  connectivity: 'ok',
  date_verified: '2026/11/20 08:00:00 +0000',
};
const other = {
  ...row,
  id: 'ac2',
  username: 'oracle',
  systemuser: null,
  systemuser_display: '',
  version: 1,
  has_own_secret: false,
  connectivity: 'failed',
};
const shown = {
  hostname: field('Hostname', { filter: true }),
  ip: field('IP', { filter: true }),
  username: field('Username', { filter: true }),
  systemuser_display: field('System user display', { read_only: true }),
  version: field('Version', { type: 'integer', read_only: true }),
  connectivity: field('Connectivity', { type: 'choice' }),
  date_verified: field('Date verified', { type: 'datetime' }),
};
const metadata = { name: 'Account', actions: { GET: shown, POST: shown, PUT: shown, PATCH: shown } };
const SHOWN_SECRET = {
  username: 'root',
  password: SECRET,
  private_key: '',
  secret_source: 'account',
  systemuser_display: 'root on linux',
  systemuser_is_manual: false,
};
const VERIFY = '*/api/v1/authentication/otp/verify/';
const refused = () => HttpResponse.json({ detail: 'x', code: 'mfa_verify_required' }, { status: 400 });

const { server, sent } = recordedServer(
  () => [
    mock.options('*/api/v1/assets/accounts/', () => HttpResponse.json(metadata)),
    mock.get('*/api/v1/assets/accounts/', () => HttpResponse.json(pageOf([row, other]))),
    mock.get('*/api/v1/assets/account-secrets/:id/', () => HttpResponse.json(SHOWN_SECRET)),
    mock.get(VERIFY, () => HttpResponse.json({ code: 'valid' })),
    mock.post('*/api/v1/common/resources/cache/', () => HttpResponse.json({ spm: 'spm-1' })),
    mock.post('*/api/v1/assets/accounts/tasks/', () => HttpResponse.json({ task: 'job-1' }, { status: 201 })),
    mock.post('*/api/v1/assets/accounts/:id/verify/', () => HttpResponse.json({ task: 'job-2' })),
  ],
  () => [import('#/domain/mfa/MfaDialog'), import('#/domain/account-secret/SecretDialog')],
);

beforeEach(() => {
  closeAccountDialog();
  hideJob();
});

async function choose(action: string, name = 'root@web-1') {
  await userEvent.click(await screen.findByRole('button', { name: `Actions of ${name}` }));
  await userEvent.click(await screen.findByRole('menuitem', { name: action }));
}

test('[S2-181] the tab of an asset shows its accounts, whose secret they have, and whether they work', async () => {
  await renderScreen(<AccountsOfAsset assetId="a1" />, { texts: ['account-secret'] });
  const line = (await screen.findByText('root')).closest('tr');
  expect(within(line as HTMLElement).getByText('Works')).toBeDefined();
  expect(within(line as HTMLElement).getByLabelText('Has a secret of its own')).toBeDefined();
  expect(within(line as HTMLElement).getByRole('link', { name: 'root on linux' })).toBeDefined();
  expect(screen.getByText('Fails')).toBeDefined();
  expect(screen.queryByText('web-1')).toBeNull();
  expect(sent('GET', 'assets/accounts/')[0]?.query.get('asset')).toBe('a1');
});

test('[S2-181] the tab of a system user shows the hosts', async () => {
  await renderScreen(<AccountsOfSystemUser systemUserId="s1" />, { texts: ['account-secret'] });
  expect((await screen.findAllByRole('link', { name: 'web-1' }))[0]?.getAttribute('href')).toContain('a1');
  expect(sent('GET', 'assets/accounts/')[0]?.query.get('systemuser')).toBe('s1');
});

describe('viewing a secret', () => {
  test('needs a code first; without one nothing is requested', async () => {
    server.use(mock.get(VERIFY, refused));
    await renderScreen(<AccountsOfAsset assetId="a1" />, { texts: ['account-secret'] });
    await choose('View secret');
    const question = await screen.findByRole('dialog');
    await userEvent.click(within(question).getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(sent('GET', 'assets/account-secrets/ac1/')).toHaveLength(0);
  });

  test('shows it hidden, copies it, and forgets it when the dialog closes', async () => {
    const user = userEvent.setup();
    await renderScreen(<AccountsOfAsset assetId="a1" />, { texts: ['account-secret'] });
    await choose('View secret');
    const dialog = await screen.findByRole('dialog', { name: 'Secret of root@web-1' });
    const input = await within(dialog).findByLabelText('Password');
    expect([input.getAttribute('type'), (input as HTMLInputElement).value]).toEqual(['password', SECRET]);
    await user.click(within(dialog).getByRole('button', { name: 'Copy: Password' }));
    expect(await navigator.clipboard.readText()).toBe(SECRET);
    await user.click(within(dialog).getAllByRole('button', { name: 'Close' })[0] as HTMLElement);
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(
      JSON.stringify(
        queryClient
          .getQueryCache()
          .getAll()
          .map((query) => query.state.data),
      ),
    ).not.toContain(SECRET);
    expect(document.body.innerHTML).not.toContain(SECRET);
  });

  test('asks again when the code expired in between', async () => {
    let answers = 0;
    server.use(
      mock.get('*/api/v1/assets/account-secrets/:id/', () =>
        answers++ === 0 ? refused() : HttpResponse.json(SHOWN_SECRET),
      ),
    );
    await renderScreen(<AccountsOfAsset assetId="a1" />, { texts: ['account-secret'] });
    await choose('View secret');
    expect(await screen.findByLabelText('Password')).toBeDefined();
    expect(sent('GET', 'authentication/otp/verify/')).toHaveLength(2);
  });

  test.each([
    ['none', 'No secret is stored for this account.'],
    ['unreadable', /cannot be decrypted/],
    ['system_user', /the secret of the system user root on linux/],
  ])('says where it comes from: %s', async (source, text) => {
    server.use(
      mock.get('*/api/v1/assets/account-secrets/:id/', () =>
        HttpResponse.json({ ...SHOWN_SECRET, secret_source: source }),
      ),
    );
    await renderScreen(<AccountsOfAsset assetId="a1" />, { texts: ['account-secret'] });
    await choose('View secret');
    expect(await screen.findByText(text)).toBeDefined();
  });
});

describe('changing a secret', () => {
  test('sends only what was entered, and shows refusals beside their fields', async () => {
    server.use(
      mock.patch(
        '*/api/v1/assets/accounts/:id/',
        () => HttpResponse.json({ password: ['Too short.'] }, { status: 400 }),
        { once: true },
      ),
      mock.patch('*/api/v1/assets/accounts/:id/', () => HttpResponse.json({ ...row, version: 4 })),
    );
    await renderScreen(<AccountsOfAsset assetId="a1" />, { texts: ['account-secret'] });
    await choose('Update secret');
    const dialog = await screen.findByRole('dialog');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Save' }));
    expect(within(dialog).getByText('Enter a password or a private key.')).toBeDefined();
    await userEvent.type(within(dialog).getByLabelText('Password'), 'new one');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Save' }));
    expect(await within(dialog).findByText('Too short.')).toBeDefined();
    await userEvent.click(within(dialog).getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(sent('PATCH', 'assets/accounts/ac1/').map(({ body }) => body)).toEqual([
      { password: 'new one' },
      { password: 'new one' },
    ]);
  });

  test('reads a key from a file', async () => {
    server.use(mock.patch('*/api/v1/assets/accounts/:id/', () => HttpResponse.json(row)));
    await renderScreen(<AccountsOfAsset assetId="a1" />, { texts: ['account-secret'] });
    await choose('Update secret');
    const dialog = await screen.findByRole('dialog');
    await userEvent.upload(
      dialog.querySelector('input[type=file]') as HTMLInputElement,
      new File(['-----BEGIN'], 'id'),
    );
    await waitFor(() =>
      expect((within(dialog).getByLabelText('SSH private key') as HTMLTextAreaElement).value).toBe(
        '-----BEGIN',
      ),
    );
    await userEvent.click(within(dialog).getByRole('button', { name: 'Save' }));
    await waitFor(() =>
      expect(sent('PATCH', 'assets/accounts/ac1/')[0]?.body).toEqual({ private_key: '-----BEGIN' }),
    );
  });

  test('the own secret can be removed, where there is one', async () => {
    server.use(
      mock.delete('*/api/v1/assets/accounts/:id/own-secret/', () => new HttpResponse(null, { status: 204 })),
    );
    await renderScreen(<AccountsOfAsset assetId="a1" />, { texts: ['account-secret'] });
    await userEvent.click(await screen.findByRole('button', { name: 'Actions of oracle@web-1' }));
    expect(screen.queryByRole('menuitem', { name: 'Remove own secret' })).toBeNull();
    await userEvent.keyboard('{Escape}');
    await choose('Remove own secret');
    const question = await screen.findByRole('alertdialog');
    await userEvent.click(within(question).getByRole('button', { name: 'Remove own secret' }));
    await waitFor(() => expect(sent('DELETE', 'assets/accounts/ac1/own-secret/')).toHaveLength(1));
  });
});

test('versions tell who changed the secret, and when', async () => {
  server.use(
    mock.get('*/api/v1/assets/accounts/:id/versions/', () =>
      HttpResponse.json([
        {
          number: 3,
          reason_display: 'Secret entered',
          has_password: true,
          has_private_key: false,
          ssh_key_fingerprint: '',
          is_current: true,
          created_by: 'Olga(olga)',
          date_created: '2026/11/20 08:00:00 +0000',
        },
      ]),
    ),
  );
  await renderScreen(<AccountsOfAsset assetId="a1" />, { texts: ['account-secret'] });
  await choose('Versions');
  const dialog = await screen.findByRole('dialog', { name: 'Versions of root@web-1' });
  expect(await within(dialog).findByText('Olga(olga)')).toBeDefined();
  expect(within(dialog).getByText('Current')).toBeDefined();
});

describe('restoring an earlier secret', () => {
  const version = {
    number: 3,
    reason_display: 'Secret entered',
    has_password: true,
    has_private_key: false,
    ssh_key_fingerprint: '',
    is_current: true,
    created_by: 'Olga(olga)',
    date_created: '2026/11/20 08:00:00 +0000',
  };
  const versions = [
    version,
    { ...version, number: 2, has_password: false, is_current: false },
    { ...version, number: 1, is_current: false },
  ];

  async function open(): Promise<HTMLElement> {
    server.use(
      mock.get('*/api/v1/assets/accounts/:id/versions/', () => HttpResponse.json(versions)),
      mock.post('*/api/v1/assets/accounts/:id/versions/:number/restore/', () => HttpResponse.json({})),
    );
    await renderScreen(<AccountsOfAsset assetId="a1" />, { texts: ['account-changes'] });
    await choose('Versions');
    return screen.findByRole('dialog', { name: 'Versions of root@web-1' });
  }
  const path = 'assets/accounts/ac1/versions/1/restore/';

  test('needs a code and a question, and tells the server which version was the current one', async () => {
    const dialog = await open();
    await userEvent.click(await within(dialog).findByRole('button', { name: 'Restore version 1' }));
    const question = await screen.findByRole('alertdialog');
    expect(question.textContent).toContain('Restore version 1 of root@web-1?');
    expect(sent('POST', path)).toHaveLength(0);
    await userEvent.click(within(question).getByRole('button', { name: 'Restore' }));
    await waitFor(() => expect(sent('POST', path)[0]?.body).toEqual({ current: 3 }));
    await waitFor(() => expect(sent('GET', 'assets/accounts/ac1/versions/')).toHaveLength(2));
  });

  test('is offered for earlier versions with a secret only', async () => {
    const dialog = await open();
    await within(dialog).findByRole('button', { name: 'Restore version 1' });
    expect(within(dialog).getAllByRole('button', { name: /^Restore/ })).toHaveLength(1);
  });
});

describe('creating an account', () => {
  async function open(): Promise<HTMLElement> {
    server.use(mock.get('*/api/v1/assets/system-users/', () => HttpResponse.json(pageOf([]))));
    await renderScreen(<AccountsOfAsset assetId="a1" />, { texts: ['account-changes'] });
    await userEvent.click(await screen.findByRole('button', { name: 'Create account' }));
    return screen.findByRole('dialog', { name: 'Create account' });
  }

  test('sends the asset of the page, the username and the secret', async () => {
    server.use(
      mock.post('*/api/v1/assets/accounts/', () => HttpResponse.json({ id: 'ac9' }, { status: 201 })),
    );
    const dialog = await open();
    await userEvent.click(within(dialog).getByRole('button', { name: 'Save' }));
    expect(
      await within(dialog).findByText('An account without a system user needs a username.'),
    ).toBeDefined();
    await userEvent.type(within(dialog).getByLabelText(/Username/), 'oracle');
    await userEvent.type(within(dialog).getByLabelText('Password'), 's3cret');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Save' }));
    await waitFor(() =>
      expect(sent('POST', 'assets/accounts/')[0]?.body).toEqual({
        asset: 'a1',
        systemuser: null,
        username: 'oracle',
        comment: '',
        password: 's3cret',
      }),
    );
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  test('shows what the server refuses beside the field', async () => {
    server.use(
      mock.post('*/api/v1/assets/accounts/', () =>
        HttpResponse.json({ username: ['This account exists already on this asset.'] }, { status: 400 }),
      ),
    );
    const dialog = await open();
    await userEvent.type(within(dialog).getByLabelText(/Username/), 'root');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Save' }));
    expect(await within(dialog).findByText('This account exists already on this asset.')).toBeDefined();
  });
});

describe('testing', () => {
  test('one account', async () => {
    await renderScreen(<AccountsOfAsset assetId="a1" />, { texts: ['account-secret'] });
    await userEvent.click(await screen.findByRole('button', { name: 'Test root@web-1' }));
    await waitFor(() => expect(useShownJob.getState().id).toBe('job-2'));
    expect(sent('POST', 'assets/accounts/ac1/verify/')[0]?.body).toEqual({ action: 'test' });
  });

  test('the chosen accounts', async () => {
    await renderScreen(<AccountsOfAsset assetId="a1" />, { texts: ['account-secret'] });
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Select root@web-1' }));
    const bar = screen.getByRole('region', { name: 'Actions for the selection' });
    await userEvent.click(within(bar).getByRole('button', { name: 'Test' }));
    await waitFor(() => expect(useShownJob.getState().id).toBe('job-1'));
    expect(sent('POST', 'common/resources/cache/')[0]?.body).toEqual({ resources: ['ac1'] });
    expect(sent('POST', 'assets/accounts/tasks/')[0]?.query.get('spm')).toBe('spm-1');
  });

  test('all accounts of the page, after a question', async () => {
    await renderScreen(<AccountsOfAsset assetId="a1" />, { texts: ['account-secret'] });
    await userEvent.click(await screen.findByRole('button', { name: 'Test all' }));
    const question = await screen.findByRole('alertdialog');
    await userEvent.click(within(question).getByRole('button', { name: 'Test accounts' }));
    await waitFor(() => expect(sent('POST', 'assets/accounts/tasks/')).toHaveLength(1));
    expect(sent('POST', 'assets/accounts/tasks/')[0]?.query.get('asset')).toBe('a1');
  });
});
