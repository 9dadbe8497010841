import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { describe, expect, test } from 'vitest';
import { currentSession, type Session } from '#/lib/session';
import { choices, field, pageOf, recordedServer } from '#/test/recorded';
import { admin, adminSession, defaultOrg, renderScreen, rootOrg } from '#/test/render';
import { organizationPages } from './screens';

const counts = {
  users_amount: 3,
  groups_amount: 1,
  assets_amount: 12,
  admin_users_amount: 0,
  system_users_amount: 2,
  applications_amount: 0,
  asset_perms_amount: 4,
  app_perms_amount: 0,
};
const own = {
  id: defaultOrg.id,
  name: 'Default',
  is_default: true,
  comment: '',
  resource_statistics: counts,
};
const branch = { ...own, id: 'b1', name: 'Branch', is_default: false, comment: 'north' };
const written = {
  name: field('Name', { required: true }),
  comment: field('Comment', { max_length: undefined }),
  users: field('Organization users', { type: 'field' }),
  admins: field('Organization administrators', { type: 'field' }),
};
const metadata = { name: 'Organization', actions: { GET: written, POST: written, PUT: written } };
const role = field('Role', { type: 'choice', filter: true, choices: choices('Admin', 'Auditor', 'User') });
const memberFields = {
  role,
  org: field('Organization', { type: 'field', filter: true }),
  user: field('User', { type: 'field', filter: true }),
};
const member = {
  id: 'm1',
  user: 'u1',
  user_display: 'Li(li)',
  role: 'Auditor',
  role_display: 'Organization auditor',
  org: branch.id,
  org_display: 'Branch',
};
const licensed: Session = { ...adminSession, settings: { XPACK_LICENSE_IS_VALID: true } };

const { server, sent } = recordedServer(
  () => [
    mock.options('*/api/v1/orgs/org-member-relation/', () =>
      HttpResponse.json({ name: 'Member', actions: { GET: memberFields, POST: memberFields } }),
    ),
    mock.options('*/api/v1/orgs/orgs/*', () => HttpResponse.json(metadata)),
    mock.get('*/api/v1/orgs/orgs/:id/', ({ params }) =>
      HttpResponse.json(params['id'] === own.id ? own : branch),
    ),
    mock.get('*/api/v1/orgs/orgs/', () => HttpResponse.json(pageOf([own, branch]))),
    mock.get('*/api/v1/orgs/org-member-relation/', () => HttpResponse.json(pageOf([member]))),
    mock.get('*/api/v1/users/users/', () =>
      HttpResponse.json(pageOf([{ id: 'u7', name: 'Guest', username: 'guest' }])),
    ),
    mock.get('*/api/v1/users/profile/', () =>
      HttpResponse.json({
        ...admin,
        admin_or_audit_orgs: [rootOrg, defaultOrg, { ...defaultOrg, id: 'b1', name: 'Branch' }],
      }),
    ),
    mock.post('*/api/v1/common/resources/cache/', () => HttpResponse.json({ spm: 'spm-1' })),
  ],
  () => [import('#/ui/question-dialog'), import('./Members')],
);

async function show(
  kind: Exclude<keyof typeof organizationPages, 'prepare'>,
  address = '/',
  pattern = '/',
  session = licensed,
) {
  const Screen = await organizationPages[kind]();
  return renderScreen(<Screen />, { address, pattern, session });
}
const update = () => show('update', '/xpack/orgs/b1/update', '/xpack/orgs/$id/update');
const detail = (id = 'b1', query = '') => show('detail', `/xpack/orgs/${id}${query}`, '/xpack/orgs/$id');
const offered = () => currentSession()?.organizations.map((organization) => organization.name);
const rowNamed = async (name: string) => {
  const row = (await screen.findByRole('link', { name })).closest('tr');
  if (!row) throw new Error(`no row of ${name}`);
  return within(row);
};

test('[S3-056] [S3-057] the list counts the objects of each organization', async () => {
  await show('list');
  const cells = (await rowNamed('Branch')).getAllByRole('cell').map((cell) => cell.textContent);
  expect(cells).toEqual(expect.arrayContaining(['Branch', '3', '1', '12', '0', '2', '4', 'north']));
  for (const head of ['Users', 'User groups', 'Assets', 'Admin users', 'System users', 'Applications'])
    expect(screen.getByRole('columnheader', { name: head })).toBeTruthy();
  for (const head of ['Asset permissions', 'Application permissions'])
    expect(screen.getByRole('columnheader', { name: head })).toBeTruthy();
});

test('the default organization cannot be deleted; another one can after a question, and the selector follows', async () => {
  server.use(mock.delete('*/api/v1/orgs/orgs/b1/', () => new HttpResponse(null, { status: 204 })));
  await show('list');
  await userEvent.click((await rowNamed('Default')).getByRole('button', { name: 'Actions of Default' }));
  const deleteButton = await screen.findByRole('menuitem', { name: /Delete/ });
  expect(deleteButton.textContent).toContain('The default organization cannot be deleted');
  expect(deleteButton.getAttribute('aria-disabled')).toBe('true');
  await userEvent.keyboard('{Escape}');
  await userEvent.click((await rowNamed('Branch')).getByRole('button', { name: 'Actions of Branch' }));
  await userEvent.click(await screen.findByRole('menuitem', { name: 'Delete' }));
  const dialog = await screen.findByRole('alertdialog', { name: 'Delete organization “Branch”?' });
  server.use(
    mock.get('*/api/v1/users/profile/', () =>
      HttpResponse.json({ ...admin, admin_or_audit_orgs: [rootOrg, defaultOrg] }),
    ),
  );
  await userEvent.click(within(dialog).getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(sent('DELETE', 'orgs/orgs/b1/')).toHaveLength(1));
  await waitFor(() => expect(offered()).toEqual(['GLOBAL', 'Default']));
});

test('an organization that owns objects is not deleted, and the server says what it owns', async () => {
  const detailText = 'The organization still has: People (3). Remove them first, then delete it.';
  server.use(
    mock.delete('*/api/v1/orgs/orgs/b1/', () =>
      HttpResponse.json({ code: 'organization_in_use', detail: detailText }, { status: 403 }),
    ),
  );
  await detail();
  await userEvent.click(await screen.findByRole('button', { name: 'Delete' }));
  const dialog = await screen.findByRole('alertdialog');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText(/People \(3\)/)).toBeTruthy();
  await userEvent.click(within(dialog).getByRole('button', { name: 'Cancel' }));
  expect(screen.getByRole('heading', { level: 1, name: 'Branch' })).toBeTruthy();
});

describe('organization form', () => {
  /** Titles and labels of the groups with the kinds of their controls, as shown on screen. */
  const parts = async () => {
    const form = within(await screen.findByRole('form'));
    return [
      form
        .getAllByRole('group')
        .flatMap((group) => [...group.querySelectorAll('legend, label')].map((part) => part.textContent)),
      form.getAllByRole('textbox').map((control) => control.tagName),
    ];
  };

  test('[S2-171] create and update show the same form', async () => {
    const first = await show('create');
    await screen.findByRole('heading', { level: 1, name: 'Create organization' });
    const atCreate = await parts();
    first.unmount();
    await update();
    await screen.findByRole('heading', { level: 1, name: 'Update organization' });
    expect(await parts()).toEqual(atCreate);
    expect(screen.getByLabelText<HTMLInputElement>(/^\*?Name$/).value).toBe('Branch');
    expect(atCreate).toEqual([
      ['Basic', '*Name', 'Comment'],
      ['INPUT', 'TEXTAREA'],
    ]);
  });

  test('[S7-046] a new organization is created at the path of the contract, and the selector offers it', async () => {
    server.use(mock.post('*/api/v1/orgs/orgs/', () => HttpResponse.json(branch, { status: 201 })));
    const { router } = await show('create');
    await userEvent.type(await screen.findByLabelText(/^\*?Name$/), 'Branch');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/xpack/orgs'));
    expect(sent('POST', 'orgs/orgs/')[0]?.body).toEqual({ name: 'Branch', comment: '' });
    expect(offered()).toEqual(['GLOBAL', 'Default', 'Branch']);
  });

  test('a rename keeps the members, and the selector shows the new name', async () => {
    server.use(
      mock.put('*/api/v1/orgs/orgs/b1/', () => HttpResponse.json({ ...branch, name: 'South' })),
      mock.get('*/api/v1/users/profile/', () =>
        HttpResponse.json({ ...admin, admin_or_audit_orgs: [{ ...defaultOrg, name: 'Head office' }] }),
      ),
    );
    await update();
    const name = await screen.findByLabelText(/^\*?Name$/);
    await userEvent.clear(name);
    await userEvent.type(name, 'South');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(sent('PUT', 'orgs/orgs/b1/')).toHaveLength(1));
    expect(sent('PUT', 'orgs/orgs/b1/')[0]?.body).toEqual({ name: 'South', comment: 'north' });
    await waitFor(() => expect(currentSession()?.organization.name).toBe('Head office'));
  });
});

describe('[S2-189] members of an organization', () => {
  test('they are listed with their roles', async () => {
    await detail('b1', '?activeTab=members');
    expect(await screen.findByRole('cell', { name: 'Li(li)' })).toBeTruthy();
    expect(screen.getByRole('cell', { name: 'Organization auditor' })).toBeTruthy();
    const [asked] = sent('GET', 'orgs/org-member-relation/');
    expect(asked?.query.get('org')).toBe('b1');
  });

  test("they are searched by words and role, without typing a person's id", async () => {
    await detail('b1', '?activeTab=members');
    await screen.findByRole('cell', { name: 'Li(li)' });
    await userEvent.click(screen.getByRole('combobox', { name: 'Search' }));
    const offers = (await screen.findAllByRole('option')).map((option) => option.textContent);
    expect(offers.some((offer) => offer.startsWith('Role'))).toBe(true);
    expect(offers.filter((offer) => /^(User|Organization)/.test(offer))).toEqual([]);
  });

  test('every chosen person is added with every chosen role', async () => {
    server.use(mock.post('*/api/v1/orgs/org-member-relation/', () => HttpResponse.json([], { status: 201 })));
    await detail('b1', '?activeTab=members');
    const form = within(await screen.findByRole('form', { name: 'Add members' }));
    await userEvent.click(form.getByRole('button', { name: 'Add' }));
    expect(form.getByText('This field is required')).toBeTruthy();
    expect(sent('POST', 'orgs/org-member-relation/')).toHaveLength(0);
    await userEvent.type(form.getByRole('combobox', { name: 'Users' }), 'gu');
    await userEvent.click(await screen.findByRole('option', { name: /Guest/ }));
    expect(sent('GET', 'users/users/').at(-1)?.query.get('all')).toBe('1');
    await userEvent.click(form.getByRole('checkbox', { name: 'Organization administrator' }));
    await userEvent.click(form.getByRole('button', { name: 'Add' }));
    await waitFor(() => expect(sent('POST', 'orgs/org-member-relation/')).toHaveLength(1));
    expect(sent('POST', 'orgs/org-member-relation/')[0]?.body).toEqual([
      { org: 'b1', user: 'u7', role: 'User' },
      { org: 'b1', user: 'u7', role: 'Admin' },
    ]);
    await waitFor(() => expect(sent('GET', 'orgs/org-member-relation/').length).toBeGreaterThan(1));
  });

  test('one role is removed at a time, after a question that names person, role and organization', async () => {
    server.use(
      mock.delete('*/api/v1/orgs/org-member-relation/m1/', () => new HttpResponse(null, { status: 204 })),
    );
    await detail('b1', '?activeTab=members');
    await screen.findByRole('cell', { name: 'Li(li)' });
    await userEvent.click(screen.getByRole('button', { name: /Remove/ }));
    const question = 'Remove the role Organization auditor in “Branch” from Li(li)?';
    const dialog = await screen.findByRole('alertdialog', { name: question });
    await userEvent.click(within(dialog).getByRole('button', { name: 'Remove' }));
    await waitFor(() => expect(sent('DELETE', 'orgs/org-member-relation/m1/')).toHaveLength(1));
    await waitFor(() => expect(sent('GET', 'orgs/orgs/b1/').length).toBeGreaterThan(1));
  });
});
