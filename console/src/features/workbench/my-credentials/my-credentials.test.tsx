import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { expect, test } from 'vitest';
import { field, pageOf, recordedServer } from '#/test/recorded';
import { renderScreen } from '#/test/render';
import { MyCredentialsPage } from './MyCredentialsPage';

const fields = {
  asset_display: field('Asset'),
  system_user_display: field('System user'),
  username: field('Username'),
};
const row = {
  id: 'k1',
  asset: 'a1',
  asset_display: 'shop-1',
  system_user: 's1',
  system_user_display: 'typed',
  username: 'carol',
  date_created: '2026/11/23 03:30:00 +0000',
  date_expired: '2026/11/23 03:35:00 +0000',
};
const granted = [
  { id: 's0', name: 'stored', username: 'root', login_mode: 'auto' },
  { id: 's1', name: 'typed', username: '', login_mode: 'manual' },
  { id: 's2', name: 'deploy', username: 'deploy', login_mode: 'manual' },
];

const { server, sent } = recordedServer(
  () => [
    mock.options('*/api/v1/assets/entered-credentials/', () =>
      HttpResponse.json({ name: '', actions: { GET: fields } }),
    ),
    mock.get('*/api/v1/assets/entered-credentials/', () => HttpResponse.json(pageOf([row]))),
    mock.delete('*/api/v1/assets/entered-credentials/k1/', () => new HttpResponse(null, { status: 204 })),
    mock.get('*/api/v1/perms/users/assets/', () =>
      HttpResponse.json(pageOf([{ id: 'a1', hostname: 'shop-1', ip: '192.0.2.1' }])),
    ),
    mock.get('*/api/v1/perms/users/assets/a1/system-users/', () => HttpResponse.json(granted)),
    mock.post('*/api/v1/assets/system-users/:id/temp-auth/', () =>
      HttpResponse.json({ expires_in: 300 }, { status: 201 }),
    ),
  ],
  () => [import('./EnterDialog')],
);

async function open(button: string): Promise<HTMLElement> {
  await renderScreen(<MyCredentialsPage />, { texts: ['my-credentials', 'entered-credentials'] });
  await screen.findByRole('row', { name: /shop-1/ });
  await userEvent.click(screen.getByRole('button', { name: button }));
  return screen.findByRole('dialog');
}

test('a credential is entered for a chosen asset and one of its system users that ask for it', async () => {
  const dialog = await open('Enter a credential');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Save' }));
  expect(sent('POST', 'assets/system-users/s1/temp-auth/')).toHaveLength(0);
  await userEvent.click(within(dialog).getByRole('combobox', { name: /Asset/ }));
  await userEvent.click(await screen.findByRole('option', { name: /shop-1/ }));
  const typedUser = await within(dialog).findByRole('radio', { name: 'typed' });
  expect(within(dialog).queryByRole('radio', { name: /stored/ })).toBeNull();
  await userEvent.click(within(dialog).getByRole('radio', { name: /deploy/ }));
  expect(within(dialog).queryByLabelText(/Username/)).toBeNull();
  await userEvent.click(typedUser);
  await userEvent.type(within(dialog).getByLabelText(/Username/), 'carol');
  await userEvent.type(within(dialog).getByLabelText(/^\*?Password/), 's3cret');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(sent('POST', 'assets/system-users/s1/temp-auth/')[0]?.body).toEqual({
      instance_id: 'a1',
      username: 'carol',
      password: 's3cret',
    }),
  );
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
});

test('replacing asks for username and password of the same pair; a refusal stays in the dialog', async () => {
  server.use(
    mock.post('*/api/v1/assets/system-users/s1/temp-auth/', () =>
      HttpResponse.json({ detail: 'The permission has ended.', code: 'grant_expired' }, { status: 403 }),
    ),
  );
  const dialog = await open('Replace carol@shop-1');
  expect(within(dialog).queryByRole('combobox')).toBeNull();
  await userEvent.type(await within(dialog).findByLabelText(/Username/), 'dave');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Save' }));
  expect(await within(dialog).findByText('Enter the password.')).toBeTruthy();
  await userEvent.type(within(dialog).getByLabelText(/^\*?Password/), 'x');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Save' }));
  expect(await within(dialog).findByText('The permission has ended.')).toBeTruthy();
});

test('forgetting asks first, and says what follows', async () => {
  await renderScreen(<MyCredentialsPage />, { texts: ['my-credentials', 'entered-credentials'] });
  await screen.findByRole('row', { name: /shop-1/ });
  await userEvent.click(screen.getByRole('button', { name: 'Forget carol@shop-1' }));
  const question = await screen.findByRole('alertdialog');
  expect(question.textContent).toContain('asks for it while connecting');
  expect(sent('DELETE', 'assets/entered-credentials/k1/')).toHaveLength(0);
  await userEvent.click(within(question).getByRole('button', { name: 'Forget' }));
  await waitFor(() => expect(sent('DELETE', 'assets/entered-credentials/k1/')).toHaveLength(1));
});
