import { act, render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Users } from 'lucide-react';
import { http as mock, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startI18n } from '#/lib/i18n';
import { adminSession, renderScreen, rootOrg } from '#/test/render';
import { clearToasts } from '#/ui/toast';
import { defineResource, type ListDefinition } from '../define';
import { ResourceList } from './ResourceList';
import { SELECT_ALL_MAX } from './select-all';
import { TagSearch } from './tag-search';

interface Row {
  id: string;
  name: string;
  state: string;
}

const LIST = '*/api/v1/things/';

function things(list: Partial<ListDefinition<Row>> = {}) {
  return defineResource<Row>({
    name: 'ThingListTable',
    api: 'things/',
    routes: {
      names: { list: 'ThingList', create: 'ThingCreate', update: 'ThingUpdate', detail: 'ThingDetail' },
      paths: {
        list: '/things',
        create: '/things/create',
        update: '/things/$id/update',
        detail: '/things/$id',
      },
      titles: { list: 'nav:group_list', create: 'nav:group_create', update: 'nav:group_update' },
    },
    icon: Users,
    nameOf: (row) => row.name,
    noun: { one: 'users:group.one', many: 'users:group.many', what: 'users:group.what' },
    can: { delete: () => true },
    list: { columns: ['name', 'id', 'state'], exchange: { export: false, import: false }, ...list },
    form: { groups: [{ title: 'users:form.basic', fields: ['name'] }] },
  });
}

const meta = (label: string, more = {}) => ({
  type: 'string',
  required: false,
  read_only: false,
  label,
  max_length: 64,
  ...more,
});
const STATES = [
  { value: 'on', display_name: 'Running' },
  { value: 'off', display_name: 'Stopped' },
];
const fields = {
  name: meta('Name', { filter: true }),
  id: meta('ID', { filter: true }),
  state: meta('State', { type: 'choice', choices: STATES, filter: true }),
};
const metadata = {
  name: 'things',
  renders: ['application/json', 'text/csv'],
  parses: ['application/json', 'text/csv'],
  actions: { GET: fields, POST: fields },
};
let stored: Row[] = [];

const server = setupServer();
let requests: { method: string; query: Record<string, string>; body: unknown }[] = [];
const sent = (method: string) => requests.filter((request) => request.method === method);
const lastQuery = () => sent('GET').at(-1)?.query;

beforeAll(async () => {
  server.listen({ onUnhandledRequest: 'error' });
  // Loaded on demand in the product; here it must not count against the patience of a single test.
  await import('#/ui/question-dialog');
}, 60_000);
beforeEach(() => {
  requests = [];
  stored = Array.from({ length: 40 }, (_, at) => ({
    id: `t${at + 1}`,
    name: `thing ${at + 1}`,
    state: 'on',
  }));
  clearToasts();
  server.events.on('request:start', ({ request }) => {
    const copy = request.clone();
    const query = Object.fromEntries(new URL(request.url).searchParams);
    const entry = { method: request.method, query, body: null as unknown };
    requests.push(entry);
    void copy.text().then((text) => {
      entry.body = text === '' ? null : (JSON.parse(text) as unknown);
    });
  });
  server.use(
    mock.options(LIST, () => HttpResponse.json(metadata)),
    mock.get(LIST, ({ request }) => {
      const query = new URL(request.url).searchParams;
      const offset = Number(query.get('offset'));
      const results = stored.slice(offset, offset + Number(query.get('limit')));
      return HttpResponse.json({ count: stored.length, next: null, previous: null, results });
    }),
    mock.post('*/api/v1/common/resources/cache/', () => HttpResponse.json({ spm: 'spm-1' })),
  );
});
afterEach(() => {
  server.events.removeAllListeners();
  server.resetHandlers();
  vi.useRealTimers();
});
afterAll(() => server.close());

const list = (more?: Partial<ListDefinition<Row>>) => <ResourceList resource={things(more)} />;

describe('pages', () => {
  test('[S9-022] [S9-023] [S9-024] [S9-025] [S9-026] fifteen rows at first; total, sizes, previous, five pages, next', async () => {
    stored = Array.from({ length: 150 }, (_, at) => ({ id: `t${at}`, name: `thing ${at}`, state: 'on' }));
    const first = await renderScreen(list());
    await screen.findByRole('link', { name: 'thing 0' });
    expect(lastQuery()).toMatchObject({ offset: '0', limit: '15' });
    const pager = screen.getByRole('navigation', { name: 'Pages' });
    const parts = [
      within(pager).getByText('1–15 of 150'),
      within(pager).getByRole('combobox'),
      within(pager).getByRole('button', { name: 'Previous page' }),
      ...within(pager).getAllByRole('button', { name: /^Page / }),
      within(pager).getByRole('button', { name: 'Next page' }),
    ];
    expect(parts).toHaveLength(3 + 5 + 1);
    parts.reduce((before, after) => {
      expect(before.compareDocumentPosition(after)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
      return after;
    });
    expect(within(pager).queryByRole('textbox')).toBeNull();
    const sizes = within(pager)
      .getAllByRole('option')
      .map((option) => option.textContent);
    expect(sizes).toEqual(['15', '30', '50', '100']);
    await userEvent.selectOptions(within(pager).getByRole('combobox'), '50');
    await waitFor(() => expect(lastQuery()).toMatchObject({ offset: '0', limit: '50' }));
    first.unmount();
    await renderScreen(list());
    await screen.findByRole('link', { name: 'thing 49' });
  });

  test('after the last row of the last page is gone, the page before it is shown', async () => {
    const { router } = await renderScreen(list(), { address: '/?page=3&name=x' });
    await screen.findByRole('link', { name: 'thing 40' });
    stored = stored.slice(0, 30);
    await userEvent.click(screen.getByRole('button', { name: 'Refresh' }));
    expect(await screen.findByRole('link', { name: 'thing 30' })).toBeTruthy();
    expect(router.state.location.search).toEqual({ page: '2', name: 'x' });
  });
});

describe('columns', () => {
  test('[S9-052] [S9-053] hidden columns stay hidden; name, id and actions can not be hidden', async () => {
    const first = await renderScreen(list());
    await screen.findByRole('columnheader', { name: 'State' });
    await userEvent.click(screen.getByRole('button', { name: 'Columns' }));
    const panel = screen.getByRole('group', { name: 'Columns' });
    for (const name of ['Name', 'ID', 'Actions']) {
      expect(within(panel).getByRole('checkbox', { name })).toMatchObject({ checked: true, disabled: true });
    }
    await userEvent.click(within(panel).getByRole('checkbox', { name: 'State' }));
    await userEvent.click(within(panel).getByRole('button', { name: 'Compact' }));
    first.unmount();
    await renderScreen(list());
    await screen.findByRole('link', { name: 'thing 1' });
    const heads = screen.getAllByRole('columnheader').map((head) => head.textContent);
    expect(heads).toEqual(['', 'Name', 'ID', 'Actions']);
    expect(screen.getByRole('table').dataset['density']).toBe('compact');
  });

  test('even settings from elsewhere do not hide the id', async () => {
    localStorage.setItem('tableConfig', JSON.stringify({ ThingListTable: { showColumns: [] } }));
    await renderScreen(list());
    await screen.findByRole('link', { name: 'thing 1' });
    const heads = screen.getAllByRole('columnheader').map((head) => head.textContent);
    expect(heads).toEqual(['', 'Name', 'ID', 'Actions']);
  });

  test('the panel opens, closes and gives the focus back by keyboard', async () => {
    await renderScreen(list());
    const button = await screen.findByRole('button', { name: 'Columns' });
    button.focus();
    await userEvent.keyboard('{Enter}');
    expect(document.activeElement).toBe(screen.getByRole('checkbox', { name: 'State' }));
    await userEvent.keyboard('{Escape}');
    expect(screen.queryByRole('group', { name: 'Columns' })).toBeNull();
    expect(document.activeElement).toBe(button);
  });
});

describe('search', () => {
  test('[S9-020] the conditions that are there at first are told after 400 ms', async () => {
    await startI18n(['ui', 'resource'], 'en');
    vi.useFakeTimers();
    const onChange = vi.fn<(value: Readonly<Record<string, string>>) => void>();
    render(<TagSearch fields={[]} value={{ name: 'web' }} onChange={onChange} />);
    act(() => void vi.advanceTimersByTime(399));
    expect(onChange).not.toHaveBeenCalled();
    act(() => void vi.advanceTimersByTime(1));
    expect(onChange).toHaveBeenCalledExactlyOnceWith({ name: 'web' });
  });

  test('an address written by hand is cleaned: values trimmed, empty ones dropped, the page kept', async () => {
    const { router } = await renderScreen(list(), { address: '/?page=2&name=%20web%20&state=%20' });
    await screen.findByRole('link', { name: 'thing 16' });
    expect(lastQuery()).toMatchObject({ name: 'web', offset: '15' });
    expect(lastQuery()).not.toHaveProperty('state');
    await waitFor(() => expect(router.state.location.search).toEqual({ page: '2', name: 'web' }));
  });

  test('fields that the server filters by are offered, with their choices; all by keyboard', async () => {
    const { router } = await renderScreen(list());
    await screen.findByRole('link', { name: 'thing 1' });
    screen.getByRole('combobox', { name: 'Search' }).focus();
    const offered = () =>
      within(screen.getByRole('listbox', { name: 'Search' }))
        .getAllByRole('option')
        .map((option) => option.textContent);
    await waitFor(() => expect(offered()).toEqual(['Name', 'State']));
    await userEvent.keyboard('{ArrowDown}{Enter}');
    expect(offered()).toEqual(['Running', 'Stopped']);
    await userEvent.keyboard('stop{Enter}');
    await waitFor(() => expect(lastQuery()).toMatchObject({ state: 'off' }));
    expect(router.state.location.search).toEqual({ state: 'off' });
    expect(screen.getByText('State: Stopped')).toBeTruthy();
    await userEvent.keyboard('{Backspace}');
    await waitFor(() => expect(router.state.location.search).toEqual({}));
  });
});

describe('date range', () => {
  const ranged = { dateRangeDays: 7 };
  const iso = (...parts: [number, number, number, number, number, number]) =>
    new Date(...parts).toISOString();

  test('[S2-208] [S2-203] [S2-204] start and end are read from the address', async () => {
    const start = new Date(2026, 10, 1, 8, 30).toISOString();
    const end = new Date(2026, 10, 5, 9, 45).toISOString();
    await renderScreen(list(ranged), { address: `/?date_start=${start}&date_end=${end}` });
    await screen.findByRole('link', { name: 'thing 1' });
    expect(screen.getByLabelText<HTMLInputElement>('From').value).toBe('2026-11-01 08:30');
    expect(screen.getByLabelText<HTMLInputElement>('To').value).toBe('2026-11-05 09:45');
    expect(lastQuery()).toMatchObject({ date_from: start, date_to: end });
    expect(lastQuery()).not.toHaveProperty('date_start');
  });

  test('[S9-039] [S9-040] a day without a time starts at 00:00:01 and ends at 23:59:59', async () => {
    await renderScreen(list(ranged));
    await screen.findByRole('link', { name: 'thing 1' });
    for (const label of ['From', 'To']) {
      const field = screen.getByLabelText(label);
      await userEvent.clear(field);
      await userEvent.type(field, label === 'From' ? '2026-11-03' : '2026-11-04');
      await userEvent.tab();
    }
    await waitFor(() =>
      expect(lastQuery()).toMatchObject({
        date_from: iso(2026, 10, 3, 0, 0, 1),
        date_to: iso(2026, 10, 4, 23, 59, 59),
      }),
    );
  });

  test.each([
    ['[S9-035]', 'Last 24 hours', iso(2026, 10, 20, 15, 30, 0)],
    ['[S9-036]', 'Last 7 days', iso(2026, 10, 14, 0, 0, 1)],
    ['[S9-037]', 'Last 30 days', iso(2026, 9, 22, 0, 0, 1)],
    ['[S9-038]', 'Last 90 days', iso(2026, 7, 23, 0, 0, 1)],
  ])('%s the shortcut %s', async (_id, name, from) => {
    vi.useFakeTimers({ toFake: ['Date'], now: new Date(2026, 10, 21, 15, 30) });
    await renderScreen(list(ranged), { address: '/?date_start=2020-01-01T00:00:00Z' });
    await screen.findByRole('link', { name: 'thing 1' });
    await userEvent.click(screen.getByRole('button', { name: 'Time range' }));
    await userEvent.click(screen.getByRole('menuitem', { name }));
    await waitFor(() =>
      expect(lastQuery()).toMatchObject({ date_from: from, date_to: iso(2026, 10, 21, 23, 59, 59) }),
    );
  });
});

describe('selection', () => {
  test('it lasts over pages, and all that match can be chosen and deleted at once', async () => {
    let gone: unknown;
    server.use(
      mock.delete(LIST, ({ request }) => {
        gone = new URL(request.url).searchParams.get('spm');
        return new HttpResponse(null, { status: 204 });
      }),
    );
    await renderScreen(list(), { address: '/?name=x' });
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Select thing 1' }));
    await userEvent.click(screen.getByRole('button', { name: 'Page 2' }));
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Select thing 16' }));
    expect(screen.getByText('2 selected')).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Select all 40' }));
    expect(await screen.findByText('40 selected')).toBeTruthy();
    expect(lastQuery()).toMatchObject({ name: 'x', fields: 'id', offset: '0', limit: '1000' });
    await userEvent.click(screen.getByRole('button', { name: 'Delete' }));
    const question = await screen.findByRole('alertdialog', { name: 'Delete 40 user groups?' });
    expect(within(question).getByText('thing 16')).toBeTruthy();
    expect(within(question).getByText('+38')).toBeTruthy();
    await userEvent.click(within(question).getByRole('button', { name: 'Delete 40' }));
    await screen.findByText('40 deleted');
    expect(gone).toBe('spm-1');
    expect(sent('POST')[0]?.body).toEqual({ resources: stored.map((row) => row.id) });
  });

  test('a deleted row does not stay chosen', async () => {
    server.use(mock.delete('*/api/v1/things/t1/', () => new HttpResponse(null, { status: 204 })));
    await renderScreen(list());
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Select thing 1' }));
    await userEvent.click(screen.getByRole('checkbox', { name: 'Select thing 2' }));
    await userEvent.click(screen.getByRole('button', { name: 'Actions of thing 1' }));
    await userEvent.click(screen.getByRole('menuitem', { name: 'Delete' }));
    const question = await screen.findByRole('alertdialog');
    await userEvent.click(within(question).getByRole('button', { name: 'Delete' }));
    expect(await screen.findByText('1 selected')).toBeTruthy();
    expect(await screen.findByText('thing 1 deleted')).toBeTruthy();
  });

  test('more than ten thousand are not chosen at once', async () => {
    server.use(
      mock.get(LIST, () => HttpResponse.json({ count: SELECT_ALL_MAX + 1, results: stored.slice(0, 15) })),
    );
    await renderScreen(list());
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Select thing 1' }));
    const all = screen.getByRole('button', { name: /^Select all/ });
    expect(all.getAttribute('aria-disabled')).toBe('true');
    expect(all.title).toBe('More than 10000: narrow the search down first');
  });

  test('[S8-024] [S8-045] a bulk delete that fails says so with the reason', async () => {
    server.use(mock.delete(LIST, () => HttpResponse.json({ detail: 'in use' }, { status: 400 })));
    await renderScreen(list());
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Select thing 1' }));
    await userEvent.click(screen.getByRole('button', { name: 'Delete' }));
    const question = await screen.findByRole('alertdialog');
    await userEvent.click(within(question).getByRole('button', { name: 'Delete 1' }));
    expect(await screen.findByText('Bulk delete failed: in use')).toBeTruthy();
    await userEvent.click(within(question).getByRole('button', { name: 'Cancel' }));
  });
});

test('[S5-058] [S8-026] a row is deleted after a question only, and the success is told', async () => {
  server.use(mock.delete('*/api/v1/things/t2/', () => new HttpResponse(null, { status: 204 })));
  await renderScreen(list());
  await userEvent.click(await screen.findByRole('button', { name: 'Actions of thing 2' }));
  await userEvent.click(screen.getByRole('menuitem', { name: 'Delete' }));
  const question = await screen.findByRole('alertdialog', { name: 'Delete user group “thing 2”?' });
  expect(sent('DELETE')).toHaveLength(0);
  await userEvent.click(within(question).getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('thing 2 deleted')).toBeTruthy();
});

describe('states', () => {
  test('[S2-213] the header actions stand above the table, in every state', async () => {
    await renderScreen(list({ dateRangeDays: 7, exchange: {} }));
    const table = await screen.findByRole('table');
    for (const action of [
      screen.getByRole('combobox', { name: 'Search' }),
      screen.getByLabelText('From'),
      screen.getByRole('button', { name: 'Columns' }),
      screen.getByRole('button', { name: 'Refresh' }),
      screen.getByRole('button', { name: 'Import and export' }),
      screen.getByRole('link', { name: 'Create user group' }),
    ]) {
      expect(table.compareDocumentPosition(action)).toBe(Node.DOCUMENT_POSITION_PRECEDING);
    }
  });

  test('no match names the conditions, takes them off, or searches everywhere', async () => {
    stored = [];
    const { router } = await renderScreen(list(), { address: '/?state=off&name=web' });
    expect(await screen.findByText('No matching user groups')).toBeTruthy();
    expect(await screen.findAllByText('State: Stopped')).toHaveLength(2);
    await userEvent.click(screen.getByRole('button', { name: 'Search all fields for “Stopped web”' }));
    await waitFor(() => expect(router.state.location.search).toEqual({ search: 'Stopped web' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Clear 1 condition' }));
    await waitFor(() => expect(router.state.location.search).toEqual({}));
    expect(await screen.findByText('No user groups yet')).toBeTruthy();
  });

  test('refused: what is needed and who you are; no licence: what is kept', async () => {
    server.use(mock.get(LIST, () => HttpResponse.json({ code: 'permission_denied' }, { status: 403 })));
    const first = await renderScreen(list());
    expect(await screen.findByText(/needs the admin permission.*\(admin\).*“Default”/)).toBeTruthy();
    first.unmount();
    server.use(mock.get(LIST, () => HttpResponse.json({ code: 'licence_required' }, { status: 403 })));
    await renderScreen(list());
    expect(await screen.findByText('A licence is needed for user groups')).toBeTruthy();
    expect(screen.getByText(/data is kept, the feature is off/)).toBeTruthy();
  });

  test('without a network actions say so, and they come back by themselves', async () => {
    await renderScreen(list());
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Select thing 1' }));
    const online = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
    act(() => void window.dispatchEvent(new Event('offline')));
    const create = screen.getByRole('button', { name: 'Create user group' });
    for (const action of [
      create,
      screen.getByRole('button', { name: 'Update thing 1' }),
      screen.getByRole('button', { name: 'Delete' }),
    ]) {
      expect(action.getAttribute('aria-disabled')).toBe('true');
      expect(action.title).toBe('No network');
    }
    online.mockReturnValue(true);
    act(() => void window.dispatchEvent(new Event('online')));
    expect(screen.getByRole('link', { name: 'Create user group' })).toBeTruthy();
  });

  test('each result is told once to those who do not see it', async () => {
    await renderScreen(list());
    const told = () => screen.getAllByRole('status').map((status) => status.textContent);
    await waitFor(() => expect(told()).toContain('40 items'));
    stored = stored.slice(0, 3);
    await userEvent.click(screen.getByRole('button', { name: 'Refresh' }));
    await waitFor(() => expect(told()).toContain('3 items'));
  });
});

test('[S2-216] in the root organization nothing is imported', async () => {
  await renderScreen(list({ exchange: { export: true } }), {
    session: { ...adminSession, organization: rootOrg },
  });
  await screen.findByRole('link', { name: 'thing 1' });
  await userEvent.click(screen.getByRole('button', { name: 'Import and export' }));
  expect(screen.getAllByRole('menuitem').map((item) => item.textContent)).toEqual(['Export']);
});
