import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { describe, expect, test } from 'vitest';
import type { Session } from '#/lib/session';
import { ResourceList } from '#/resource/list/ResourceList';
import { usersApi } from '#/test/people';
import { previewOf } from '#/test/previews';
import { field, recordedServer } from '#/test/recorded';
import { admin, adminSession, renderScreen, rootOrg } from '#/test/render';
import { group } from './group.resource';
import { user } from './user.resource';

const licensed: Session = { ...adminSession, settings: { XPACK_LICENSE_IS_VALID: true } };
const orgAdmin: Session = { ...adminSession, profile: { ...admin, is_superuser: false, role: 'User' } };

const { server, sent, methods } = recordedServer(usersApi, () => [
  import('#/ui/question-dialog'),
  import('./InviteDialog'),
  import('#/domain/access-preview/AccessPreview'),
]);
const menuOf = async (name: string) => {
  await userEvent.click(await screen.findByRole('button', { name: `Actions of ${name}` }));
  return screen.getAllByRole('menuitem').map((item) => item.textContent);
};

describe('list', () => {
  const list = <ResourceList resource={user} />;

  test('[S1-011] it shows the columns of the contract and offers the others', async () => {
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
    expect(user.list.columns.map((entry) => (typeof entry === 'string' ? entry : entry.key))).toEqual(
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

  test('a person who may not be changed or deleted has disabled actions with the reason', async () => {
    await renderScreen(list);
    const update = await screen.findByRole('button', { name: 'Update Name boss (boss)' });
    expect(update.getAttribute('aria-disabled')).toBe('true');
    await menuOf('Name boss (boss)');
    expect(screen.getByRole('menuitem', { name: /Delete/ }).getAttribute('aria-disabled')).toBe('true');
  });

  test('only super administrators can delete accounts', async () => {
    await renderScreen(list, { session: orgAdmin });
    expect(await screen.findByRole('button', { name: 'Update Name li (li)' })).toBeTruthy();
    await userEvent.click(screen.getByRole('checkbox', { name: 'Select Name li (li)' }));
    const bar = screen.getByRole('region', { name: 'Actions for the selection' });
    expect(within(bar).getByRole('button', { name: 'Deactivate' })).toBeTruthy();
    expect(within(bar).queryByRole('button', { name: 'Delete' })).toBeNull();
    expect(screen.queryByRole('menuitem', { name: /Delete/ })).toBeNull();
  });

  test('one request activates or deactivates a selection', async () => {
    server.use(
      mock.patch('*/api/v1/users/users/', () => HttpResponse.json([])),
      mock.post('*/api/v1/perms/preview/', () => HttpResponse.json(previewOf({ lost: [2, 5, 7] }))),
    );
    await renderScreen(list);
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Select Name li (li)' }));
    await userEvent.click(screen.getByRole('checkbox', { name: 'Select Name boss (boss)' }));
    await userEvent.click(screen.getByRole('button', { name: 'Deactivate' }));
    const question = await screen.findByRole('alertdialog', { name: 'Deactivate 2 users?' });
    expect(await within(question).findByText('Loss: 2 people → 5 assets')).toBeTruthy();
    expect(sent('PATCH', 'users/users/')).toEqual([]);
    await userEvent.click(within(question).getByRole('button', { name: 'Deactivate' }));
    expect(await screen.findByText('2 users deactivated')).toBeTruthy();
    expect(sent('PATCH', 'users/users/').map((entry) => entry.body)).toEqual([
      [
        { id: 'li', is_active: false },
        { id: 'boss', is_active: false },
      ],
    ]);
  });

  test('inviting and removing need a licence and an organization other than the root', async () => {
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

  test('removing asks with name and organization and does not delete the account', async () => {
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
    expect(methods().includes('DELETE')).toBe(false);
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

  test('organization administrators type whom they invite and see nothing about those people', async () => {
    const open = [
      { id: 'i1', addressee: 'zhao@example.invalid', roles: ['User'], date_expired: '2027-01-01T00:00:00Z' },
    ];
    server.use(
      mock.get('*/api/v1/users/invitations/', () => HttpResponse.json(open)),
      mock.delete('*/api/v1/users/invitations/i1/', () => {
        open.length = 0;
        return new HttpResponse(null, { status: 204 });
      }),
      mock.get('*/api/v1/users/member-invitations/', () =>
        HttpResponse.json([
          {
            id: 'm1',
            user_display: 'Li(li)',
            org_display: 'Branch',
            roles: ['Auditor'],
            date_expired: '2027-01-01T00:00:00Z',
          },
        ]),
      ),
      mock.post('*/api/v1/users/member-invitations/m1/accept/', () => HttpResponse.json({ msg: 'ok' })),
      mock.post('*/api/v1/users/users/invite/', () => HttpResponse.json([], { status: 201 })),
    );
    await renderScreen(list, {
      session: { ...licensed, profile: { ...licensed.profile, is_superuser: false } },
    });
    await userEvent.click(await screen.findByRole('button', { name: 'Invite' }));
    const dialog = await screen.findByRole('dialog', { name: 'Invite users to “Default”' });
    await userEvent.click(
      await within(dialog).findByRole('button', { name: 'Consent that “Li(li)” joins “Branch”' }),
    );
    expect(await screen.findByText('“Li(li)” has joined “Branch”')).toBeTruthy();
    await userEvent.click(
      within(dialog).getByRole('button', { name: 'Withdraw the invitation of “zhao@example.invalid”' }),
    );
    await waitFor(() => expect(within(dialog).queryByText('zhao@example.invalid')).toBeNull());
    await userEvent.type(
      within(dialog).getByRole('textbox', { name: 'User names or e-mail addresses' }),
      'wang\nqian@example.invalid wang',
    );
    await userEvent.click(within(dialog).getByRole('button', { name: 'Invite' }));
    expect(await screen.findByText(/^2 invitations sent/)).toBeTruthy();
    expect(sent('POST', 'users/users/invite/')[0]?.body).toEqual([
      { user: 'wang', role: 'User' },
      { user: 'qian@example.invalid', role: 'User' },
    ]);
    expect(sent('GET', 'users/users/suggestion/')).toHaveLength(0);
  });

  test('an invitation by a super administrator gives each chosen person each chosen role', async () => {
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
