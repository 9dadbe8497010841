import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Users } from 'lucide-react';
import { http as mock, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { queryClient } from '#/lib/query';
import { readCookie } from '#/lib/storage';
import { adminSession, renderScreen, rootOrg } from '#/test/render';
import { clearToasts } from '#/ui/toast';
import { defineResource } from './define';
import { ResourceDetail } from './detail/ResourceDetail';
import { ResourceForm } from './form/ResourceForm';
import { ResourceList } from './list/ResourceList';

interface Row {
  id: string;
  name: string;
  comment: string;
}

const group = defineResource<Row>({
  name: 'UserGroupListTable',
  api: 'users/groups/',
  routes: {
    names: {
      list: 'UserGroupList',
      create: 'UserGroupCreate',
      update: 'UserGroupUpdate',
      detail: 'UserGroupDetail',
    },
    paths: {
      list: '/users/groups',
      create: '/users/groups/create',
      update: '/users/groups/$id/update',
      detail: '/users/groups/$id',
    },
    titles: {
      list: 'nav:group_list',
      create: 'nav:group_create',
      update: 'nav:group_update',
      detail: 'nav:group_detail',
    },
  },
  icon: Users,
  nameOf: (row) => row.name,
  noun: { one: 'users:group.one', many: 'users:group.many', what: 'users:group.what' },
  can: { delete: () => true },
  list: { columns: ['name', 'comment'] },
  form: { groups: [{ title: 'users:form.basic', fields: ['name', 'comment'] }] },
  detail: {
    cards: [{ title: 'resource:tab.basic', fields: ['name', 'comment'] }],
    tabs: [{ id: 'more', label: 'users:tab.assets', content: () => <p>more</p> }],
  },
});

const field = (label: string, more = {}) => ({
  type: 'string',
  required: false,
  read_only: false,
  label,
  max_length: 128,
  ...more,
});
const fields = { name: field('Name', { required: true, filter: true }), comment: field('Comment') };
const metadata = { name: 'User group', actions: { GET: fields, POST: fields, PUT: fields } };
const rows: Row[] = [
  { id: 'g1', name: 'dba', comment: 'nights' },
  { id: 'g2', name: 'web', comment: '' },
];

const server = setupServer();
let requests: { method: string; url: URL; body: unknown }[] = [];

beforeAll(async () => {
  server.listen({ onUnhandledRequest: 'error' });
  // Imported here, so that loading does not count against the timeout of a single test.
  await import('#/ui/question-dialog');
}, 60_000);
beforeEach(() => {
  requests = [];
  clearToasts();
  server.events.on('request:start', ({ request }) => {
    const copy = request.clone();
    const entry = { method: request.method, url: new URL(request.url), body: null as unknown };
    requests.push(entry);
    void copy.text().then((text) => {
      entry.body = text === '' ? null : (JSON.parse(text) as unknown);
    });
  });
  server.use(
    mock.options('*/api/v1/users/groups/', () => HttpResponse.json(metadata)),
    mock.options('*/api/v1/users/groups/:id/', () => HttpResponse.json(metadata)),
    mock.get('*/api/v1/users/groups/', () =>
      HttpResponse.json({ count: rows.length, next: null, previous: null, results: rows }),
    ),
    mock.get('*/api/v1/users/groups/:id/', ({ params }) => {
      const row = rows.find((candidate) => candidate.id === params['id']);
      return row ? HttpResponse.json(row) : HttpResponse.json({ detail: 'x' }, { status: 404 });
    }),
    mock.post('*/api/v1/common/resources/cache/', () => HttpResponse.json({ spm: 'spm-1' })),
    mock.delete('*/api/v1/users/groups/', () => new HttpResponse(null, { status: 204 })),
  );
});
afterEach(() => {
  server.events.removeAllListeners();
  server.resetHandlers();
});
afterAll(() => server.close());

const sent = (method: string) => requests.filter((request) => request.method === method);

describe('list', () => {
  const list = <ResourceList resource={group} />;

  test('[S2-206] [S2-207] [S2-209] [S2-212] [S7-052] [S7-053] it has its header actions and the rows with labels of the server', async () => {
    await renderScreen(list);
    expect(await screen.findByRole('link', { name: 'dba' })).toBeTruthy();
    expect(await screen.findByRole('columnheader', { name: 'Name' })).toBeTruthy();
    for (const name of ['Columns', 'Refresh']) expect(screen.getByRole('button', { name })).toBeTruthy();
    expect(await screen.findByRole('link', { name: 'Create user group' })).toBeTruthy();
    expect(screen.getByRole('combobox', { name: 'Search' })).toBeTruthy();
    const get = sent('GET')[0]?.url.searchParams;
    expect(Object.fromEntries(get ?? [])).toMatchObject({
      draw: '1',
      display: '1',
      offset: '0',
      limit: '15',
    });
  });

  test('a condition is put into the address and the request', async () => {
    const { router } = await renderScreen(list);
    await screen.findByRole('link', { name: 'dba' });
    await userEvent.type(screen.getByRole('combobox', { name: 'Search' }), 'night{Enter}');
    await waitFor(() => expect(sent('GET').at(-1)?.url.searchParams.get('search')).toBe('night'));
    expect(router.state.location.search).toEqual({ search: 'night' });
    expect(screen.getByText('search: night')).toBeTruthy();
  });

  test('[S2-215] [S6-051] [S6-052] in the root organization nothing can be created, updated or cloned', async () => {
    await renderScreen(list, { session: { ...adminSession, organization: rootOrg } });
    const update = await screen.findByRole('button', { name: 'Update dba' });
    expect(update.getAttribute('aria-disabled')).toBe('true');
    expect(screen.queryByRole('link', { name: 'Create user group' })).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: 'Actions of dba' }));
    expect(screen.getByRole('menuitem', { name: /Clone/ }).getAttribute('aria-disabled')).toBe('true');
  });

  test('[S6-055] [S6-057] [S6-058] [S6-059] elsewhere create, update and clone are allowed, in their order', async () => {
    const { router } = await renderScreen(list);
    const update = await screen.findByRole('button', { name: 'Update dba' });
    expect(update.getAttribute('aria-disabled')).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: 'Actions of dba' }));
    expect(screen.getAllByRole('menuitem').map((item) => item.textContent)).toEqual(['Delete', 'Clone']);
    await userEvent.click(screen.getByRole('menuitem', { name: 'Clone' }));
    expect(router.state.location.href).toBe('/users/groups/create?clone_from=g1');
  });

  test('[S2-214] [S5-056] [S5-057] [S7-062] [S8-023] bulk delete asks, sends the spm and reports the result', async () => {
    await renderScreen(list);
    const first = await screen.findByRole('checkbox', { name: 'Select dba' });
    expect(screen.queryByRole('region', { name: 'Actions for the selection' })).toBeNull();
    expect(screen.queryByRole('button', { name: 'Delete' })).toBeNull();
    await userEvent.click(first);
    await userEvent.click(screen.getByRole('checkbox', { name: 'Select web' }));
    const bar = screen.getByRole('region', { name: 'Actions for the selection' });
    // The bar covers the toolbar, which keeps its space and is inert meanwhile.
    expect(screen.getByRole('button', { name: 'Refresh' }).closest('[inert]')).toBeTruthy();
    await userEvent.click(within(bar).getByRole('button', { name: 'Delete' }));
    const question = await screen.findByRole('alertdialog', { name: 'Delete 2 user groups?' });
    expect(sent('DELETE')).toHaveLength(0);
    await userEvent.click(within(question).getByRole('button', { name: 'Delete 2' }));
    expect(await screen.findByText('2 deleted')).toBeTruthy();
    expect(sent('DELETE')[0]?.url.searchParams.get('spm')).toBe('spm-1');
    expect(sent('POST')[0]?.body).toEqual({ resources: ['g1', 'g2'] });
  });

  test('[S8-025] [S8-027] a failed delete says so with the reason', async () => {
    server.use(
      mock.delete('*/api/v1/users/groups/g1/', () =>
        HttpResponse.json({ detail: 'in use' }, { status: 400 }),
      ),
    );
    await renderScreen(list);
    await userEvent.click(await screen.findByRole('button', { name: 'Actions of dba' }));
    await userEvent.click(screen.getByRole('menuitem', { name: 'Delete' }));
    const dialog = await screen.findByRole('alertdialog', { name: 'Delete user group “dba”?' });
    await userEvent.click(within(dialog).getByRole('button', { name: 'Delete' }));
    const reason = await within(dialog).findByRole('alert');
    expect(reason.textContent).toBe('Delete failed: in use');
    // Nowhere else: no toast repeats it.
    expect(screen.getAllByText('Delete failed: in use')).toHaveLength(1);
    await userEvent.click(within(dialog).getByRole('button', { name: 'Cancel' }));
    expect(screen.queryByText('Delete failed: in use')).toBeNull();
  });

  test('empty, no match, refused and failed look different', async () => {
    server.use(mock.get('*/api/v1/users/groups/', () => HttpResponse.json({ count: 0, results: [] })));
    const first = await renderScreen(list);
    expect(await screen.findByText('No user groups yet')).toBeTruthy();
    first.unmount();
    const second = await renderScreen(list, { address: '/?name=x' });
    expect(await screen.findByText('No matching user groups')).toBeTruthy();
    second.unmount();
    server.use(
      mock.get('*/api/v1/users/groups/', () => HttpResponse.json({ detail: 'no' }, { status: 403 })),
    );
    const third = await renderScreen(list);
    expect(await screen.findByText('You cannot view user groups')).toBeTruthy();
    third.unmount();
    server.use(mock.get('*/api/v1/users/groups/', () => HttpResponse.json({}, { status: 500 })));
    await renderScreen(list);
    expect(await screen.findByRole('button', { name: 'Retry' })).toBeTruthy();
  });
});

describe('form', () => {
  test('[S5-007] [S5-049] a missing required field is named and nothing is sent', async () => {
    await renderScreen(<ResourceForm resource={group} mode="create" />);
    await userEvent.click(await screen.findByRole('button', { name: 'Save' }));
    expect(await screen.findByText('This field is required')).toBeTruthy();
    expect(document.activeElement).toBe(screen.getByLabelText(/Name/));
    expect(sent('POST')).toHaveLength(0);
  });

  test('[S2-220] after creating it returns to the list', async () => {
    server.use(
      mock.post('*/api/v1/users/groups/', () => HttpResponse.json({ ...rows[0], id: 'g9' }, { status: 201 })),
    );
    const { router } = await renderScreen(<ResourceForm resource={group} mode="create" />);
    await userEvent.type(await screen.findByLabelText(/Name/), 'dba');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/users/groups'));
    expect(sent('POST')[0]?.body).toEqual({ name: 'dba', comment: '' });
    expect(await screen.findByText('dba created')).toBeTruthy();
  });

  test('[S2-223] [S2-224] [S2-225] save and add another shows an empty form again', async () => {
    server.use(
      mock.post('*/api/v1/users/groups/', () => HttpResponse.json({ ...rows[0], id: 'g9' }, { status: 201 })),
    );
    const { router } = await renderScreen(<ResourceForm resource={group} mode="create" />);
    const name = await screen.findByLabelText<HTMLInputElement>(/Name/);
    await userEvent.type(name, 'dba');
    await userEvent.click(screen.getByRole('button', { name: 'Save and add another' }));
    await waitFor(() => expect(name.value).toBe(''));
    expect(router.state.location.pathname).toBe('/');
    expect(screen.queryByRole('button', { name: 'Reset' })).toBeNull();
  });

  test('server errors are shown at their fields', async () => {
    server.use(
      mock.post('*/api/v1/users/groups/', () =>
        HttpResponse.json({ name: ['taken', 'too short'], non_field_errors: ['not today'] }, { status: 400 }),
      ),
    );
    await renderScreen(<ResourceForm resource={group} mode="create" />);
    await userEvent.type(await screen.findByLabelText(/Name/), 'dba');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    expect(await screen.findByText('taken; too short')).toBeTruthy();
    expect(screen.getByText('not today')).toBeTruthy();
    expect(screen.getByLabelText(/Name/).getAttribute('aria-invalid')).toBe('true');
  });

  test('[S2-224] [S2-225] update is a PUT and can be reset', async () => {
    server.use(mock.put('*/api/v1/users/groups/g1/', () => HttpResponse.json(rows[0])));
    await renderScreen(<ResourceForm resource={group} mode="update" />, {
      address: '/users/groups/g1/update',
      pattern: '/users/groups/$id/update',
    });
    const comment = await screen.findByLabelText<HTMLInputElement>(/Comment/);
    expect(comment.value).toBe('nights');
    await userEvent.type(comment, ' only');
    await userEvent.click(screen.getByRole('button', { name: 'Reset' }));
    expect(comment.value).toBe('nights');
    expect(screen.queryByRole('button', { name: 'Save and add another' })).toBeNull();
    await userEvent.type(comment, '!');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(sent('PUT')[0]?.body).toEqual({ name: 'dba', comment: 'nights!' }));
  });

  test('[S2-004] [S7-050] a clone starts from the other object without its name', async () => {
    await renderScreen(<ResourceForm resource={group} mode="create" />, { address: '/?clone_from=g1' });
    expect((await screen.findByLabelText<HTMLInputElement>(/Comment/)).value).toBe('nights');
    expect(screen.getByLabelText<HTMLInputElement>(/Name/).value).toBe('');
  });
});

describe('detail', () => {
  const at = { address: '/users/groups/g1', pattern: '/users/groups/$id' };

  test('[S2-192] [S2-193] [S2-195] [S2-196] [S2-197] [S6-055] it has back, title, tabs, update and delete', async () => {
    await renderScreen(<ResourceDetail resource={group} />, at);
    expect(await screen.findByRole('heading', { level: 1, name: 'dba' })).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Back to User groups' })).toBeTruthy();
    expect(screen.getByRole('link', { name: 'Update' })).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Delete' })).toBeTruthy();
    expect(screen.getAllByRole('tab').map((tab) => tab.textContent)).toEqual(['Basic', 'Granted assets']);
  });

  test('[S2-198] [S2-199] [S9-055] the open tab is stored in address and cookie', async () => {
    const { router } = await renderScreen(<ResourceDetail resource={group} />, at);
    await userEvent.click(await screen.findByRole('tab', { name: 'Granted assets' }));
    await waitFor(() => expect(router.state.location.search).toEqual({ activeTab: 'more' }));
    expect(readCookie('activeTab')).toBe('more');
    expect(screen.getByText('more')).toBeTruthy();
  });

  test.each([
    ['[S2-199] the address', { ...at, address: `${at.address}?activeTab=more` }, 'basic'],
    ['[S2-198] the cookie', at, 'more'],
  ])('%s remembers the open tab', async (_what, where, cookie) => {
    document.cookie = `activeTab=${cookie}; path=/`;
    await renderScreen(<ResourceDetail resource={group} />, where);
    const tab = await screen.findByRole('tab', { name: 'Granted assets' });
    expect(tab.getAttribute('aria-selected')).toBe('true');
  });

  test('[S2-194] [S9-011] a title is cut at 80 characters; its tooltip has the whole title', async () => {
    const long = 'x'.repeat(80) + 'y';
    server.use(mock.get('*/api/v1/users/groups/:id/', () => HttpResponse.json({ ...rows[0], name: long })));
    const first = await renderScreen(<ResourceDetail resource={group} />, at);
    const heading = await screen.findByRole('heading', { level: 1, name: /^x/ });
    expect(heading.textContent).toBe(`${'x'.repeat(80)}…`);
    expect(heading.title).toBe(long);
    first.unmount();
    server.use(
      mock.get('*/api/v1/users/groups/:id/', () => HttpResponse.json({ ...rows[0], name: long.slice(1) })),
    );
    await renderScreen(<ResourceDetail resource={group} />, at);
    expect((await screen.findByRole('heading', { level: 1, name: /y$/ })).textContent).toBe(long.slice(1));
  });

  test('[S2-222] after deleting the object the list is shown', async () => {
    server.use(mock.delete('*/api/v1/users/groups/g1/', () => new HttpResponse(null, { status: 204 })));
    const { router } = await renderScreen(<ResourceDetail resource={group} />, at);
    await userEvent.click(await screen.findByRole('button', { name: 'Delete' }));
    const dialog = await screen.findByRole('alertdialog');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Delete' }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/users/groups'));
  });

  test('a cached list does not show the deleted object', async () => {
    server.use(mock.delete('*/api/v1/users/groups/g1/', () => new HttpResponse(null, { status: 204 })));
    const { router } = await renderScreen(<ResourceDetail resource={group} />, at);
    const [seen, other] = ['users/groups/', 'users/users/'].map((api) => ['list', api, {}, 'org']);
    for (const key of [seen, other]) queryClient.setQueryData(key ?? [], { rows, total: 2 });
    await userEvent.click(await screen.findByRole('button', { name: 'Delete' }));
    const dialog = await screen.findByRole('alertdialog');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Delete' }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/users/groups'));
    expect(queryClient.getQueryData(seen ?? [])).toBeUndefined();
    expect(queryClient.getQueryData(other ?? [])).toBeDefined();
  });

  test('[S6-054] the object cannot be updated in the root organization', async () => {
    await renderScreen(<ResourceDetail resource={group} />, {
      ...at,
      session: { ...adminSession, organization: rootOrg },
    });
    const update = await screen.findByRole('button', { name: 'Update' });
    expect(update.getAttribute('aria-disabled')).toBe('true');
    expect(screen.queryByRole('link', { name: 'Update' })).toBeNull();
  });

  test('[S8-014] a missing object is reported as deleted', async () => {
    await renderScreen(<ResourceDetail resource={group} />, { ...at, address: '/users/groups/none' });
    expect(await screen.findByText('Object not found or deleted')).toBeTruthy();
  });
});
