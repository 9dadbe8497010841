import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { describe, expect, test } from 'vitest';
import type { Session } from '#/lib/session';
import { ResourceDetail } from '#/resource/detail/ResourceDetail';
import { ResourceForm } from '#/resource/form/ResourceForm';
import { people, person, usersApi } from '#/test/people';
import { recordedServer } from '#/test/recorded';
import { admin, adminSession, renderScreen, rootOrg } from '#/test/render';
import { user } from './user.resource';

const licensed: Session = { ...adminSession, settings: { XPACK_LICENSE_IS_VALID: true } };
const orgAdmin: Session = { ...adminSession, profile: { ...admin, is_superuser: false, role: 'User' } };

const { server, sent } = recordedServer(usersApi, () => [
  import('#/ui/question-dialog'),
  import('./PasswordField'),
  import('./EndField'),
  import('./UserGroupsCard'),
]);

describe('form', () => {
  const create = <ResourceForm resource={user} mode="create" />;
  const update = <ResourceForm resource={user} mode="update" />;
  const atUpdate = { address: '/users/users/li/update', pattern: '/users/users/$id/update' };

  test('strategy, source and mode determine whether the form asks for a password', async () => {
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

  test('a new password for another person offers to revoke their keys and sends the choice', async () => {
    server.use(
      mock.put('*/api/v1/users/users/li/', () => HttpResponse.json(people[0])),
      mock.get('*/api/v1/users/users/li/credentials/', () =>
        HttpResponse.json({
          access_keys: [{ id: 'key-1', is_active: true, date_last_used: null }],
          public_keys: [],
        }),
      ),
    );
    await renderScreen(update, atUpdate);
    const change = await screen.findByRole('checkbox', { name: 'Change password' });
    expect(screen.queryByText('Also revoke')).toBeNull();
    await userEvent.click(change);
    const end = await screen.findByRole('checkbox', { name: 'Delete access keys (1)' });
    expect((end as HTMLInputElement).checked).toBe(false);
    await userEvent.click(end);
    await userEvent.type(screen.getByLabelText(/^\*?Password$/), 'a-Long-enough-secret-9');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(sent('PUT', 'users/users/li/')).toHaveLength(1));
    expect(sent('PUT', 'users/users/li/')[0]?.body).toMatchObject({
      password: 'a-Long-enough-secret-9',
      end: ['access_keys'],
    });
  });

  test("an update sends neither secrets nor the form's own questions", async () => {
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
      'end',
    ])
      expect(Object.keys(body)).not.toContain(name);
  });

  test('super administrators set the system role; with a licence the organization roles are shown', async () => {
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

  test('the link is preset where mail works; without mail the password is, with the reason', async () => {
    const first = await renderScreen(create, { session: licensed });
    const chosen = () =>
      screen.findByRole<HTMLInputElement>('radio', { checked: true, name: /the (email|custom)/ });
    expect((await chosen()).value).toBe('custom');
    expect(screen.getByText(/Mail is not set up/)).toBeTruthy();
    first.unmount();
    await renderScreen(create, {
      session: { ...licensed, settings: { ...licensed.settings, MAIL_CONFIGURED: true } },
    });
    expect((await chosen()).value).toBe('email');
    expect(screen.queryByText(/Mail is not set up/)).toBeNull();
  });

  test('when the person sets their own password, none is sent and the link is shown before the form closes', async () => {
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
    expect(body).not.toHaveProperty('date_expired');
    await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/users/users'));
  });

  test('[S2-004] [S7-050] a clone copies what is not personal and uses defaults for the rest', async () => {
    await renderScreen(create, { address: '/?clone_from=li' });
    expect((await screen.findByLabelText<HTMLTextAreaElement>(/Comment/)).value).toBe('nights');
    for (const name of [/^\*?Name$/, /Username/, /Email/])
      expect(screen.getByLabelText<HTMLInputElement>(name).value).toBe('');
    expect(screen.getByRole<HTMLInputElement>('radio', { name: 'the custom' }).checked).toBe(true);
    expect(sent('GET', 'users/users/li/')).toHaveLength(1);
  });

  test('groups are not offered in the root organization', async () => {
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

  test('quick actions are disabled when there is nothing to do', async () => {
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

  const link = { url: '/ui/set-password#once', date_expired: '2026/11/23 00:00:00 +0000' };

  test('a password reset lists the credentials to revoke and revokes only the chosen ones', async () => {
    server.use(
      mock.get('*/api/v1/users/users/eve/', () => HttpResponse.json(person('eve'))),
      mock.get('*/api/v1/users/users/eve/credentials/', () =>
        HttpResponse.json({
          access_keys: [{ id: 'key-1', is_active: true, date_last_used: null }],
          public_keys: [{ algorithm: 'ssh-ed25519', fingerprint: 'SHA256:abc', comment: 'laptop' }],
        }),
      ),
      mock.patch('*/api/v1/users/users/eve/password/reset/', () =>
        HttpResponse.json({ set_password_link: link }),
      ),
    );
    await renderScreen(detail, at('eve'));
    await userEvent.click(await button('Reset password'));
    const question = await screen.findByRole('alertdialog');
    expect(within(question).getByText('key-1, never used')).toBeTruthy();
    expect(within(question).getByText('laptop SHA256:abc')).toBeTruthy();
    await userEvent.click(within(question).getByRole('checkbox', { name: 'Remove SSH public keys (1)' }));
    await userEvent.click(within(question).getByRole('button', { name: 'Reset' }));
    await waitFor(() => expect(sent('PATCH', 'users/users/eve/password/reset/')).toHaveLength(1));
    expect(sent('PATCH', 'users/users/eve/password/reset/')[0]?.body).toEqual({ end: ['public_keys'] });
    expect(await screen.findByText(/No e-mail was sent/)).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  });

  test('a link that goes by mail is not shown, and the address is named', async () => {
    server.use(
      mock.get('*/api/v1/users/users/eve/', () => HttpResponse.json(person('eve'))),
      mock.get('*/api/v1/users/users/eve/credentials/', () =>
        HttpResponse.json({ access_keys: [], public_keys: [] }),
      ),
      mock.patch('*/api/v1/users/users/eve/password/reset/', () =>
        HttpResponse.json({
          set_password_mail: { msg: 'A mail was queued for eve@example.com.', address: 'eve@example.com' },
        }),
      ),
    );
    await renderScreen(detail, at('eve'));
    await userEvent.click(await button('Reset password'));
    const question = await screen.findByRole('alertdialog');
    await userEvent.click(within(question).getByRole('button', { name: 'Reset' }));
    expect(await screen.findByText('A mail was queued for eve@example.com.')).toBeTruthy();
    expect(screen.queryByRole('alertdialog')).toBeNull();
  });

  test('one call ends all access of a suspected account after a question', async () => {
    server.use(
      mock.get('*/api/v1/users/users/eve/', () => HttpResponse.json(person('eve'))),
      mock.post('*/api/v1/users/users/eve/access/reset/', () =>
        HttpResponse.json({ set_password_link: link, ended: { access_keys: 1 } }),
      ),
    );
    await renderScreen(detail, at('eve'));
    await userEvent.click(await button('Suspected account'));
    const question = await screen.findByRole('alertdialog');
    expect(question.textContent).toContain('live sessions');
    await userEvent.click(within(question).getByRole('button', { name: 'End all access' }));
    await waitFor(() => expect(sent('POST', 'users/users/eve/access/reset/')).toHaveLength(1));
    expect(await screen.findByText(/No e-mail was sent/)).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Cancel' }));
  });

  test('people cannot reset their own MFA here', async () => {
    server.use(
      mock.get('*/api/v1/users/users/:id/', () => HttpResponse.json(person(admin.id, { mfa_enabled: true }))),
    );
    await renderScreen(detail, at(admin.id));
    expect(await off('Reset MFA')).toBe(true);
    expect(screen.getByText('Reset your own MFA on your profile page')).toBeTruthy();
  });
});
