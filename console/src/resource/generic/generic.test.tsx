import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { ReactNode } from 'react';
import { renderScreen, rootOrg, adminSession } from '#/test/render';
import { clearToasts } from '#/ui/toast';
import zh from '../locales/zh.json';
import { ShowCell } from '../format';
import { DeleteCell } from './DeleteCell';
import { GenericTable, type GenericTableProps } from './GenericTable';
import { offsetSource, pageSource } from './row-source';
import { defaultWrites } from './row-writes';

interface Plan {
  id: string;
  name: string;
  state?: string;
  state_display?: string;
}

const URL_OF = '*/api/v1/plans/';
const all: Plan[] = Array.from({ length: 23 }, (_, at) => ({ id: `p${at + 1}`, name: `plan ${at + 1}` }));

const server = setupServer();
let requests: { method: string; path: string; query: Record<string, string>; body: unknown }[] = [];
const sent = (method: string) => requests.filter((request) => request.method === method);

/** The rows that are there; both dialects serve them. */
let stored: Plan[] = [];

function pageAnswer(query: URLSearchParams) {
  const page = Number(query.get('page'));
  const size = Number(query.get('size'));
  const content = page === -1 ? stored : stored.slice((page - 1) * size, page * size);
  return HttpResponse.json({ payload: { content, totalElements: stored.length } });
}

function offsetAnswer(query: URLSearchParams) {
  const offset = Number(query.get('offset'));
  const limit = Number(query.get('limit'));
  if (!query.has('limit')) return HttpResponse.json(stored);
  const results = stored.slice(offset, offset + limit);
  return HttpResponse.json({ count: stored.length, next: null, previous: null, results });
}

function serve(answer: (query: URLSearchParams) => Response) {
  server.use(mock.get(URL_OF, ({ request }) => answer(new URL(request.url).searchParams)));
}

beforeAll(async () => {
  server.listen({ onUnhandledRequest: 'error' });
  // Loaded on demand in the product; here they must not count against the patience of a single test.
  await Promise.all([import('#/ui/question-dialog'), import('./RowDialog')]);
}, 60_000);
beforeEach(() => {
  requests = [];
  stored = [...all];
  clearToasts();
  server.events.on('request:start', ({ request }) => {
    const copy = request.clone();
    const url = new URL(request.url);
    const entry = {
      method: request.method,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      body: null as unknown,
    };
    requests.push(entry);
    void copy.text().then((text) => {
      entry.body = text === '' ? null : (JSON.parse(text) as unknown);
    });
  });
});
afterEach(() => {
  server.events.removeAllListeners();
  server.resetHandlers();
});
afterAll(() => server.close());

const meta = (label: string, more = {}) => ({
  type: 'string',
  required: false,
  read_only: false,
  label,
  max_length: 64,
  ...more,
});
const dialog = [{ name: 'name', meta: meta('Name', { required: true }) }];
const columns = [
  { key: 'name', label: 'Name', sortable: true },
  { key: 'state', label: 'State' },
];

function table(more: Partial<GenericTableProps<Plan>> = {}): ReactNode {
  return (
    <GenericTable<Plan>
      label="Plans"
      noun="plan"
      source={pageSource('plans/')}
      columns={columns}
      rowName={(row) => row.name}
      {...more}
    />
  );
}

describe.each([
  {
    dialect: 'page and size',
    source: pageSource<Plan>('plans/'),
    answer: pageAnswer,
    first: { page: '1', size: '10' },
    second: { page: '2', size: '10', sort: 'name', direction: 'desc' },
  },
  {
    dialect: 'offset and limit',
    source: offsetSource<Plan>('plans/'),
    answer: offsetAnswer,
    first: { offset: '0', limit: '10' },
    second: { offset: '10', limit: '10', order: '-name' },
  },
])('[S3-077] the table over $dialect', ({ source, answer, first, second }) => {
  beforeEach(() => serve(answer));

  test('[S7-058] [S7-060] [S9-027] [S9-028] asks for the first ten rows, then for a page in an order', async () => {
    const { router } = await renderScreen(table({ source }));
    expect(await screen.findByText('plan 1')).toBeTruthy();
    expect(screen.getAllByRole('row')).toHaveLength(11);
    expect(screen.getByText('1–10 of 23')).toBeTruthy();
    expect(sent('GET')[0]?.query).toMatchObject(first);
    await userEvent.click(screen.getByRole('button', { name: 'Name' }));
    await userEvent.click(screen.getByRole('button', { name: 'Name' }));
    await userEvent.click(screen.getByRole('button', { name: 'Page 2' }));
    expect(await screen.findByText('plan 11')).toBeTruthy();
    await waitFor(() => expect(sent('GET').at(-1)?.query).toMatchObject(second));
    expect(router.state.location.search).toEqual({ page: '2', order: '-name' });
  });

  test('[S4-071] [S4-072] after the last row of the last page is deleted it moves back one page', async () => {
    stored = all.slice(0, 21);
    server.use(
      mock.delete('*/api/v1/plans/:ids/', ({ params }) => {
        stored = stored.filter((row) => !String(params['ids']).split(',').includes(row.id));
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const { router } = await renderScreen(table({ source, writes: defaultWrites('plans/') }), {
      address: '/?page=3',
    });
    await userEvent.click(await screen.findByRole('button', { name: 'Delete plan 21' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Delete' }));
    expect(await screen.findByText('plan 11')).toBeTruthy();
    expect(router.state.location.search).toEqual({ page: '2' });
    stored = [];
    await userEvent.click(screen.getByRole('button', { name: 'Refresh' }));
    await waitFor(() => expect(router.state.location.search).toEqual({}));
    expect(await screen.findByText('No data')).toBeTruthy();
  });
});

test('[S3-071] [S3-072] rows and total stand at configurable paths', async () => {
  server.use(mock.get(URL_OF, () => HttpResponse.json({ data: { list: [all[0]] }, sum: 71 })));
  await renderScreen(table({ source: pageSource('plans/', { rowsPath: 'data.list', totalPath: 'sum' }) }));
  expect(await screen.findByText('plan 1')).toBeTruthy();
  expect(screen.getByText('1–10 of 71')).toBeTruthy();
});

test('[S5-045] a page request without page or size is not sent', async () => {
  const source = pageSource('plans/');
  const request = { page: 1, size: 10, order: '', conditions: {} };
  await expect(source.fetch({ ...request, size: 0 })).rejects.toThrow('needs page and size');
  await expect(source.fetch({ ...request, page: Number.NaN })).rejects.toThrow('needs page and size');
  expect(requests).toHaveLength(0);
});

test('[S7-061] [S9-032] without pagination page is -1 and size 999, and there is no pager', async () => {
  serve(pageAnswer);
  await renderScreen(table({ paginated: false }));
  expect(await screen.findByText('plan 23')).toBeTruthy();
  expect(sent('GET')[0]?.query).toMatchObject({ page: '-1', size: '999' });
  expect(screen.queryByRole('navigation', { name: 'Pages of Plans' })).toBeNull();
});

test('[S7-059] [S9-033] search values and the extra query are sent, the search stays in the address', async () => {
  serve(pageAnswer);
  const search = [{ key: 'name', label: 'Plan name' }];
  const { router } = await renderScreen(table({ search, extraQuery: { kind: 'nightly' } }), {
    address: '/?page=2&name=old&foreign=1',
  });
  await screen.findByText('plan 11');
  expect(sent('GET')[0]?.query).toEqual({ page: '2', size: '10', name: 'old', kind: 'nightly' });
  const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Plan name' });
  expect(field.value).toBe('old');
  await userEvent.clear(field);
  await userEvent.type(field, ' new {Enter}');
  await waitFor(() => expect(sent('GET').at(-1)?.query).toMatchObject({ page: '1', name: 'new' }));
  expect(router.state.location.search).toEqual({ name: 'new', foreign: '1' });
});

test('search can be kept out of the address', async () => {
  serve(pageAnswer);
  const search = [{ key: 'name', label: 'Plan name' }];
  const { router } = await renderScreen(table({ search, searchInAddress: false }));
  await userEvent.type(await screen.findByRole('textbox', { name: 'Plan name' }), 'x{Enter}');
  await waitFor(() => expect(sent('GET').at(-1)?.query['name']).toBe('x'));
  expect(router.state.location.search).toEqual({});
});

test('[S9-029] [S9-030] [S9-031] [S9-034] sizes, five pages, a jumper, centred columns', async () => {
  stored = Array.from({ length: 95 }, (_, at) => ({ id: `${at}`, name: `row ${at + 1}` }));
  serve(pageAnswer);
  await renderScreen(table());
  await screen.findByText('row 1');
  const pager = screen.getByRole('navigation', { name: 'Pages of Plans' });
  expect(
    within(pager)
      .getAllByRole('option')
      .map((one) => one.textContent),
  ).toEqual(['10', '20', '30', '40', '50']);
  expect(within(pager).getAllByRole('button', { name: /^Page / })).toHaveLength(5);
  const jump = within(pager).getByRole('textbox', { name: 'Go to page' });
  await userEvent.clear(jump);
  await userEvent.type(jump, '99{Enter}');
  expect(await screen.findByText('row 95')).toBeTruthy();
  expect(sent('GET').at(-1)?.query['page']).toBe('10');
  for (const head of screen.getAllByRole('columnheader')) expect(head.className).toContain('text-center');
  for (const cell of screen.getAllByRole('cell')) expect(cell.className).toContain('text-center');
});

test('[S3-073] the id field has a configurable name', async () => {
  server.use(
    mock.get(URL_OF, () =>
      HttpResponse.json({ payload: { content: [{ uid: 'u7', name: 'plan 7' }], totalElements: 1 } }),
    ),
    mock.delete('*/api/v1/plans/:ids/', () => new HttpResponse(null, { status: 204 })),
  );
  await renderScreen(table({ idKey: 'uid', writes: defaultWrites('plans/', { idKey: 'uid' }) }));
  await userEvent.click(await screen.findByRole('button', { name: 'Delete plan 7' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(sent('DELETE')[0]?.path).toBe('/api/v1/plans/u7/'));
});

test('[S3-075] [S3-076] a cell shows the _display field, and the raw value without one', async () => {
  stored = [
    { id: '1', name: 'one', state: 'ok', state_display: 'Reachable' },
    { id: '2', name: 'two', state: 'raw' },
  ];
  serve(pageAnswer);
  await renderScreen(table());
  expect(await screen.findByText('Reachable')).toBeTruthy();
  expect(screen.queryByText('ok')).toBeNull();
  expect(screen.getByText('raw')).toBeTruthy();
});

describe('dialogs', () => {
  const writes = { ...defaultWrites<Plan>('plans/', { extraBody: { kind: 'nightly' } }) };
  beforeEach(() => serve(pageAnswer));

  test('[S4-063] [S4-066] [S4-068] [S4-069] [S7-075] new: confirm posts values and extra body, reloads, closes', async () => {
    server.use(mock.post(URL_OF, () => HttpResponse.json({ id: 'p24' }, { status: 201 })));
    await renderScreen(table({ dialog, writes }));
    await userEvent.click(await screen.findByRole('button', { name: 'Create plan' }));
    const open = await screen.findByRole('dialog', { name: 'Create plan' });
    await userEvent.type(within(open).getByLabelText(/Name/), 'weekly');
    const before = sent('GET').length;
    await userEvent.click(within(open).getByRole('button', { name: 'Confirm' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(sent('POST')[0]?.body).toEqual({ name: 'weekly', kind: 'nightly' });
    expect(sent('GET').length).toBeGreaterThan(before);
  });

  test('[S4-067] edit: confirm updates the row with what was typed', async () => {
    const update = vi.fn<(row: Plan, values: unknown) => Promise<unknown>>().mockResolvedValue(null);
    await renderScreen(table({ dialog, writes: { ...writes, update } }));
    await userEvent.click(await screen.findByRole('button', { name: 'Update plan 3' }));
    const open = await screen.findByRole('dialog', { name: 'Update plan' });
    const name = within(open).getByLabelText<HTMLInputElement>(/Name/);
    expect(name.value).toBe('plan 3');
    await userEvent.type(name, '!');
    await userEvent.click(within(open).getByRole('button', { name: 'Confirm' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(update).toHaveBeenCalledExactlyOnceWith(all[2], { name: 'plan 3!' });
  });

  test('[S7-081] the default update issues no call', async () => {
    await renderScreen(table({ dialog, writes }));
    await userEvent.click(await screen.findByRole('button', { name: 'Update plan 3' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Confirm' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(new Set(requests.map((request) => request.method))).toEqual(new Set(['GET']));
  });

  test('[S4-064] [S4-065] view: nothing can be changed or confirmed', async () => {
    await renderScreen(table({ dialog, writes }));
    await userEvent.click(await screen.findByRole('button', { name: 'Actions of plan 3' }));
    await userEvent.click(screen.getByRole('menuitem', { name: 'View' }));
    const open = await screen.findByRole('dialog', { name: 'View plan' });
    expect(within(open).getByLabelText<HTMLInputElement>(/Name/).disabled).toBe(true);
    expect(within(open).queryByRole('button', { name: 'Confirm' })).toBeNull();
    expect(
      within(open)
        .getAllByRole('button')
        .map((button) => button.title),
    ).toEqual(['Close']);
  });

  test('[S4-070] [S8-035] a failed confirm keeps the dialog open and clears its loading state', async () => {
    server.use(mock.post(URL_OF, () => HttpResponse.json({ name: ['taken'] }, { status: 400 })));
    await renderScreen(table({ dialog, writes }));
    await userEvent.click(await screen.findByRole('button', { name: 'Create plan' }));
    const open = await screen.findByRole('dialog');
    await userEvent.type(within(open).getByLabelText(/Name/), 'weekly{Enter}');
    expect(await within(open).findByText('taken')).toBeTruthy();
    expect(within(open).getByRole('button', { name: 'Confirm' }).getAttribute('aria-busy')).not.toBe('true');
    expect(within(open).getByLabelText<HTMLInputElement>(/Name/).value).toBe('weekly');
  });
});

describe('deleting', () => {
  beforeEach(() => serve(pageAnswer));

  test('[S7-077] [S5-058] [S5-060] [S5-061] it always asks with a warning; then DELETE on url/{ids}/ with commas', async () => {
    server.use(mock.delete('*/api/v1/plans/:ids/', () => new HttpResponse(null, { status: 204 })));
    await renderScreen(table({ selectable: true, writes: defaultWrites('plans/') }));
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Select plan 2' }));
    await userEvent.click(screen.getByRole('checkbox', { name: 'Select plan 4' }));
    await userEvent.click(screen.getByRole('button', { name: 'Delete' }));
    const question = await screen.findByRole('alertdialog', { name: 'Confirm delete?' });
    expect(zh.generic.confirm_delete).toBe('确认删除？');
    expect(within(question).getByRole('img', { name: 'Warning' })).toBeTruthy();
    expect(within(question).getByText('plan 4')).toBeTruthy();
    expect(sent('DELETE')).toHaveLength(0);
    await userEvent.click(within(question).getByRole('button', { name: 'Delete' }));
    await waitFor(() => expect(sent('DELETE')[0]?.path).toBe('/api/v1/plans/p2,p4/'));
    expect(await screen.findByText('2 deleted')).toBeTruthy();
  });

  test('[S8-036] [S8-037] a failure is logged as a warning and thrown on to the question, which stays', async () => {
    server.use(
      mock.delete('*/api/v1/plans/:ids/', () => HttpResponse.json({ detail: 'in use' }, { status: 400 })),
    );
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    await renderScreen(table({ writes: defaultWrites('plans/') }));
    await userEvent.click(await screen.findByRole('button', { name: 'Delete plan 2' }));
    const question = await screen.findByRole('alertdialog');
    await userEvent.click(within(question).getByRole('button', { name: 'Delete' }));
    expect(await screen.findByText('Delete failed: in use')).toBeTruthy();
    expect(warn).toHaveBeenCalledWith('delete failed', expect.objectContaining({ status: 400 }));
    expect(screen.getByRole('alertdialog')).toBe(question);
    await userEvent.click(within(question).getByRole('button', { name: 'Cancel' }));
  });
});

test('[S8-034] a failed fetch tells the error, sets the total to 0 and stops loading', async () => {
  server.use(mock.get(URL_OF, () => HttpResponse.json({ msg: 'broken' }, { status: 500 })));
  const onError = vi.fn<(error: unknown) => void>();
  await renderScreen(table({ onError }));
  expect(await screen.findByText('broken')).toBeTruthy();
  expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ status: 500 }));
  expect(screen.getByText('0–0 of 0')).toBeTruthy();
  expect(screen.getByRole('table').getAttribute('aria-busy')).toBe('false');
});

describe('trees', () => {
  interface Node {
    id: string;
    name: string;
    parentId?: string;
    children?: Node[];
  }
  const nodes: Node[] = [
    { id: '1', name: 'East', children: [{ id: '2', name: 'Shanghai' }] },
    { id: '3', name: 'West' },
    { id: '4', name: 'Chengdu', parentId: '3' },
  ];
  const tree = (
    <GenericTable<Node>
      label="Nodes"
      noun="node"
      source={pageSource('plans/')}
      columns={[{ key: 'name', label: 'Name' }]}
      rowName={(row) => row.name}
      writes={defaultWrites('plans/')}
      dialog={dialog}
      paginated={false}
      tree={{}}
    />
  );

  test('[S3-074] rows stand below their parent, by children as well as by parentId', async () => {
    server.use(mock.get(URL_OF, () => HttpResponse.json({ payload: { content: nodes, totalElements: 4 } })));
    await renderScreen(tree);
    const names = () =>
      screen
        .getAllByRole('row')
        .slice(1)
        .map((row) => row.querySelector('td')?.textContent);
    await screen.findByText('East');
    expect(names()).toEqual(['East', 'West']);
    for (const button of screen.getAllByRole('button', { name: 'Expand' })) await userEvent.click(button);
    expect(names()).toEqual(['East', 'Shanghai', 'West', 'Chengdu']);
    await userEvent.click(screen.getAllByRole('button', { name: 'Collapse' })[0] as HTMLElement);
    expect(names()).toEqual(['East', 'West', 'Chengdu']);
  });

  test('[S7-076] a new row below another sends the parent key', async () => {
    server.use(
      mock.get(URL_OF, () => HttpResponse.json({ payload: { content: nodes, totalElements: 4 } })),
      mock.post(URL_OF, () => HttpResponse.json({ id: '9' }, { status: 201 })),
    );
    await renderScreen(tree);
    await userEvent.click(await screen.findByRole('button', { name: 'Actions of West' }));
    await userEvent.click(screen.getByRole('menuitem', { name: 'Create below' }));
    await userEvent.type(await screen.findByLabelText(/Name/), 'Xi’an{Enter}');
    await waitFor(() => expect(sent('POST')[0]?.body).toEqual({ name: 'Xi’an', parentId: '3' }));
  });
});

describe('editable cells', () => {
  const edited = vi.fn<(row: Plan, key: string, value: unknown) => void>();
  beforeEach(async () => {
    edited.mockReset();
    stored = [{ id: '1', name: 'one', state: 'off' }];
    serve(pageAnswer);
    await renderScreen(
      table({
        columns: [
          { key: 'name', label: 'Name' },
          { key: 'state', label: 'State', editable: true },
        ],
        onCellChange: edited,
      }),
    );
  });
  const open = async () => {
    await userEvent.click(await screen.findByRole('button', { name: /^Edit one State/ }));
    const input = screen.getByRole('textbox', { name: 'one State' });
    expect(document.activeElement).toBe(input);
    await userEvent.clear(input);
    return input;
  };

  test('[S4-073] [S4-074] [S4-076] a click opens it, Enter takes the text over as JSON', async () => {
    await userEvent.type(await open(), '[[1,true]{Enter}');
    expect(screen.queryByRole('textbox', { name: 'one State' })).toBeNull();
    expect(edited).toHaveBeenCalledExactlyOnceWith(stored[0], 'state', [1, true]);
    expect(screen.getByRole('button', { name: 'Edit one State: 1, true' })).toBeTruthy();
  });

  test('[S4-075] [S4-077] leaving it takes the text over, as a string when it is no JSON', async () => {
    await userEvent.type(await open(), 'on call');
    await userEvent.tab();
    expect(screen.queryByRole('textbox', { name: 'one State' })).toBeNull();
    expect(edited).toHaveBeenCalledExactlyOnceWith(stored[0], 'state', 'on call');
  });

  test('Escape gives the change up', async () => {
    await userEvent.type(await open(), 'x{Escape}');
    expect(edited).not.toHaveBeenCalled();
    expect(screen.getByRole('button', { name: 'Edit one State: off' })).toBeTruthy();
  });
});

describe('formatters', () => {
  test('[S4-078] a show formatter reveals its value only after a click on Show', async () => {
    const load = vi.fn<() => Promise<string>>().mockResolvedValue('s3cret');
    await renderScreen(<ShowCell load={load} />);
    const show = await screen.findByRole('button', { name: 'Show' });
    expect(screen.queryByText('s3cret')).toBeNull();
    expect(load).not.toHaveBeenCalled();
    await userEvent.click(show);
    expect(await screen.findByText('s3cret')).toBeTruthy();
  });

  const remove = (objects?: readonly string[]) => (
    <DeleteCell deleteUrl="groups/x/members/" value="u7" name="li" objects={objects} onDeleted={gone} />
  );
  const gone = vi.fn<() => void>();
  const button = () => screen.findByRole('button', { name: 'Delete li' });

  test('[S7-078] [S8-026] the delete formatter deletes its deleteUrl with the value appended', async () => {
    server.use(mock.delete('*/api/v1/groups/x/members/u7', () => new HttpResponse(null, { status: 204 })));
    await renderScreen(remove());
    await userEvent.click(await button());
    await userEvent.click(await screen.findByRole('button', { name: 'Delete' }));
    expect(await screen.findByText('li deleted')).toBeTruthy();
    expect(sent('DELETE')[0]?.path).toBe('/api/v1/groups/x/members/u7');
    expect(gone).toHaveBeenCalledOnce();
  });

  test('[S6-053] it is disabled in the root organization', async () => {
    await renderScreen(remove(), { session: { ...adminSession, organization: rootOrg } });
    expect((await button()).getAttribute('aria-disabled')).toBe('true');
    await userEvent.click(await button());
    expect(screen.queryByRole('alertdialog')).toBeNull();
  });

  test('[S6-056] it is disabled unless its value is among the permitted objects, or all are', async () => {
    const first = await renderScreen(remove(['u1', 'u2']));
    expect((await button()).getAttribute('aria-disabled')).toBe('true');
    first.unmount();
    const second = await renderScreen(remove(['u1', 'u7']));
    expect((await button()).getAttribute('aria-disabled')).toBeNull();
    second.unmount();
    await renderScreen(remove());
    expect((await button()).getAttribute('aria-disabled')).toBeNull();
  });
});
