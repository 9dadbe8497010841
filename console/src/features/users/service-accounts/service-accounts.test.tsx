import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { expect, test } from 'vitest';
import type { Session } from '#/lib/session';
import { ResourceDetail } from '#/resource/detail/ResourceDetail';
import { ResourceForm } from '#/resource/form/ResourceForm';
import { person, usersApi } from '#/test/people';
import { previewOf } from '#/test/previews';
import { recordedServer } from '#/test/recorded';
import { admin, adminSession, renderScreen } from '#/test/render';
import { user } from '../user.resource';
import { UserListPage } from '../UserListPage';
import { serviceAccount } from './service-account.resource';
import { showSecret } from './show-secret';

const orgAdmin: Session = { ...adminSession, profile: { ...admin, is_superuser: false, role: 'User' } };
const robot = { ...person('ci', { name: 'Nightly build', kind: 'service' }), comment: 'Li Na' };

const { server, sent } = recordedServer(
  () => [mock.post('*/api/v1/users/users/', () => HttpResponse.json(robot, { status: 201 })), ...usersApi()],
  () => [
    import('#/ui/question-dialog'),
    import('../UserGroupsCard'),
    import('../ServiceAccountInstead'),
    import('./ServiceKeys'),
    import('#/domain/access-preview/parts'),
  ],
);

const create = <ResourceForm resource={serviceAccount} mode="create" />;
const fill = async (label: RegExp, value: string) =>
  userEvent.type(await screen.findByLabelText(label), value);
const save = () => userEvent.click(screen.getByRole('button', { name: 'Save' }));

test('a new account is of its kind and has nothing that only people have', async () => {
  await renderScreen(create, { session: orgAdmin });
  await fill(/Name/, 'Nightly build');
  await fill(/Username/, 'ci');
  await fill(/Owner/, 'Li Na');
  for (const label of [/Email/, /^\*?Password/, /MFA/, /Source/, /Phone/, /^\*?Role$/])
    expect(screen.queryByLabelText(label)).toBeNull();
  await save();
  await waitFor(() => expect(sent('POST', 'users/users/')).toHaveLength(1));
  const body = sent('POST', 'users/users/')[0]?.body as Record<string, unknown>;
  expect(body).toMatchObject({ kind: 'service', name: 'Nightly build', username: 'ci', comment: 'Li Na' });
  for (const name of ['email', 'password', 'mfa_level', 'source', 'set_public_key', 'confirm_role'])
    expect(Object.keys(body)).not.toContain(name);
});

test('a system role has to be confirmed', async () => {
  await renderScreen(create);
  await fill(/Name/, 'Provisioning');
  await fill(/Username/, 'provisioning');
  expect(screen.queryByRole('checkbox', { name: /whole installation/ })).toBeNull();
  await userEvent.click(screen.getByRole('radio', { name: 'the Admin' }));
  const confirmed = screen.getByRole('checkbox', { name: /whole installation/ });
  await save();
  expect(sent('POST', 'users/users/')).toHaveLength(0);
  await userEvent.click(confirmed);
  await save();
  await waitFor(() => expect(sent('POST', 'users/users/')).toHaveLength(1));
  expect(sent('POST', 'users/users/')[0]?.body).toMatchObject({ kind: 'service', role: 'Admin' });
});

test('a clone is a service account too', async () => {
  server.use(mock.get('*/api/v1/users/users/ci/', () => HttpResponse.json(robot)));
  await renderScreen(create, { address: '/?clone_from=ci' });
  await waitFor(() => expect(screen.getByLabelText<HTMLInputElement>(/Owner/).value).toBe('Li Na'));
  await fill(/^\*?Name/, 'Weekly build');
  await userEvent.clear(screen.getByLabelText(/Username/));
  await fill(/Username/, 'ci-2');
  await save();
  await waitFor(() => expect(sent('POST', 'users/users/')).toHaveLength(1));
  expect(sent('POST', 'users/users/')[0]?.body).toMatchObject({ kind: 'service', username: 'ci-2' });
});

test('people and service accounts have a list each', async () => {
  await renderScreen(<UserListPage />);
  await screen.findByRole('link', { name: 'Name li' });
  expect(sent('GET', 'users/users/').every(({ query }) => query.get('kind') === 'person')).toBe(true);
  await userEvent.click(screen.getByRole('tab', { name: 'Service accounts' }));
  await waitFor(() =>
    expect(sent('GET', 'users/users/').some(({ query }) => query.get('kind') === 'service')).toBe(true),
  );
});

test('the page of a user leads on to the page of the service account', async () => {
  server.use(mock.get('*/api/v1/users/users/ci/', () => HttpResponse.json(robot)));
  const { router } = await renderScreen(<ResourceDetail resource={user} />, {
    address: '/users/users/ci',
    pattern: '/users/users/$id',
  });
  await waitFor(() => expect(router.state.location.pathname).toBe('/users/service-accounts/ci'));
});

test('one call ends all access and shows no link', async () => {
  server.use(
    mock.get('*/api/v1/users/users/ci/', () => HttpResponse.json(robot)),
    mock.post('*/api/v1/users/users/ci/access/reset/', () =>
      HttpResponse.json({ set_password_link: null, ended: { access_keys: 1 } }),
    ),
  );
  await renderScreen(<ResourceDetail resource={serviceAccount} />, {
    address: '/users/service-accounts/ci',
    pattern: '/users/service-accounts/$id',
  });
  await userEvent.click(await screen.findByRole('button', { name: /End all access/ }));
  const question = await screen.findByRole('alertdialog');
  await userEvent.click(within(question).getByRole('button', { name: 'End all access' }));
  await waitFor(() => expect(sent('POST', 'users/users/ci/access/reset/')).toHaveLength(1));
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
});

test('the secret of a new key is shown once, and nothing without one', async () => {
  await renderScreen(<p>page</p>);
  await showSecret({ id: 'k' });
  expect(screen.queryByRole('alertdialog')).toBeNull();
  const done = showSecret({ id: 'key-1', secret: 'secret-1' });
  const dialog = await screen.findByRole('alertdialog', { name: 'Access key made' });
  expect(dialog.textContent).toContain('key-1');
  expect(dialog.textContent).toContain('secret-1');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Close' }));
  await done;
});

test('a bulk edit and the form say what they do to access', async () => {
  server.use(mock.post('*/api/v1/perms/preview/', () => HttpResponse.json(previewOf({ lost: [1, 3, 3] }))));
  const { list, form } = serviceAccount;
  expect(list.bulkUpdate?.effect?.(['s1'], { comment: 'x' })).toBeNull();
  await renderScreen(
    <>
      {list.bulkUpdate?.effect?.(['s1'], { groups: ['g1'] })}
      {form?.aside?.({ values: { groups: ['g2'] }, id: 's1', mode: 'update' })}
    </>,
  );
  await waitFor(() => expect(screen.getAllByText('Loss: 1 person → 3 assets')).toHaveLength(2));
  expect(sent('POST', 'perms/preview/').map(({ body }) => body)).toEqual(
    expect.arrayContaining(
      ['g1', 'g2'].map((group) => ({
        changes: [{ object: 'user', action: 'update', id: 's1', values: { groups: [group] } }],
      })),
    ),
  );
});
