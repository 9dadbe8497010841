import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { expect, test } from 'vitest';
import { recordedServer } from '#/test/recorded';
import { renderScreen } from '#/test/render';
import { ChangePasswordPage } from './ChangePasswordPage';

const { server, sent } = recordedServer(() => [
  mock.get('*/api/v1/users/profile/credentials/', () =>
    HttpResponse.json({
      access_keys: [{ id: 'key-1', is_active: true, date_last_used: null }],
      public_keys: [{ algorithm: 'ssh-ed25519', fingerprint: 'SHA256:abc', comment: 'laptop' }],
    }),
  ),
  mock.put('*/api/v1/users/profile/password/', () =>
    HttpResponse.json({ new_password: ['Too short'] }, { status: 400 }),
  ),
]);

async function fill() {
  await renderScreen(<ChangePasswordPage />, { texts: ['signin'] });
  await waitFor(() => expect(document.querySelector('[name=old_password]')).not.toBeNull());
  for (const name of ['old_password', 'new_password', 'new_password_again']) {
    const field = document.querySelector<HTMLInputElement>(`[name=${name}]`);
    if (field) await userEvent.type(field, 'secret');
  }
}

const submit = () => userEvent.click(document.querySelector<HTMLElement>('[type=submit]') ?? document.body);

test('a person who must change the password can revoke keys together with it', async () => {
  await fill();
  await userEvent.click(await screen.findByRole('checkbox', { name: 'Remove SSH public keys (1)' }));
  await submit();
  await waitFor(() => expect(sent('PUT', 'users/profile/password/')).toHaveLength(1));
  expect(sent('PUT', 'users/profile/password/')[0]?.body).toMatchObject({ end: ['public_keys'] });
  expect(await screen.findByText('Too short')).toBeTruthy();
});

test('no key is revoked without a choice, and a failed list does not block the change', async () => {
  server.use(mock.get('*/api/v1/users/profile/credentials/', () => HttpResponse.json({}, { status: 500 })));
  await fill();
  expect(await screen.findByText(/went wrong|error|failed/i)).toBeTruthy();
  await submit();
  await waitFor(() => expect(sent('PUT', 'users/profile/password/')).toHaveLength(1));
  expect(sent('PUT', 'users/profile/password/')[0]?.body).toMatchObject({ end: [] });
});
