import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { expect, test } from 'vitest';
import { field, pageOf, recordedServer } from '#/test/recorded';
import { renderScreen } from '#/test/render';
import { ApplicationAccounts } from './ApplicationAccounts';

const SECRET = 'canary-of-an-application';
const row = {
  id: 'ap1_s1',
  username: 'root',
  systemuser: 's1',
  systemuser_display: 'root on mysql',
  app_name: 'orders',
  has_own_secret: false,
  is_granted: true,
};
const shown = {
  username: field('Username', { filter: true }),
  systemuser_display: field('System user display', { read_only: true }),
};
const metadata = { name: 'Application account', actions: { GET: shown, PUT: shown, PATCH: shown } };
const VERIFY = '*/api/v1/authentication/otp/verify/';

const { server, sent } = recordedServer(
  () => [
    mock.options('*/api/v1/applications/accounts/', () => HttpResponse.json(metadata)),
    mock.get('*/api/v1/applications/accounts/', () => HttpResponse.json(pageOf([row]))),
    mock.get('*/api/v1/applications/account-secrets/:id/', () =>
      HttpResponse.json({ ...row, password: SECRET, secret_source: 'system_user' }),
    ),
    mock.get(VERIFY, () => HttpResponse.json({ code: 'valid' })),
    mock.get('*/api/v1/authentication/otp/', () => HttpResponse.json({ is_set: true, passkeys: 0 })),
  ],
  () => [import('#/domain/mfa/MfaDialog'), import('#/domain/account-secret/SecretDialog')],
);

async function view() {
  await renderScreen(<ApplicationAccounts application="ap1" />, {
    texts: ['applications', 'account-secret'],
  });
  await userEvent.click(await screen.findByRole('button', { name: /View secret/ }));
}

test('the secret of an application account is shown in a dialog, which says whose it is', async () => {
  await view();
  const dialog = await screen.findByRole('dialog', { name: 'Secret of root@orders' });
  expect(await within(dialog).findByDisplayValue(SECRET)).toBeTruthy();
  expect(within(dialog).getByText(/This is the secret of the system user root on mysql/)).toBeTruthy();
  expect(sent('GET', 'applications/account-secrets/ap1_s1/')).toHaveLength(1);
  await userEvent.click(within(dialog).getAllByRole('button', { name: 'Close' })[0] as HTMLElement);
  await waitFor(() => expect(screen.queryByDisplayValue(SECRET)).toBeNull());
});

test('without a recent code nothing is fetched before one is entered', async () => {
  server.use(
    mock.get(VERIFY, () => HttpResponse.json({ detail: 'x', code: 'mfa_verify_required' }, { status: 400 })),
  );
  await view();
  await screen.findByRole('dialog');
  expect(sent('GET', 'applications/account-secrets/ap1_s1/')).toHaveLength(0);
});
