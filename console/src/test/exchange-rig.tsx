/**
 * A list of groups with export and import, its server, and the requests sent to it. Importing this file sets it up
 * before each test.
 */
import { Blob as NodeBlob, File as NodeFile } from 'node:buffer';
import { configure, screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Users } from 'lucide-react';
import { http as mock, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { loadNamespaces } from '#/lib/i18n';
import { defineResource, type ExchangeDefinition } from '#/resource/define';
import { ResourceList } from '#/resource/list/ResourceList';
import { clearToasts } from '#/ui/toast';
import { renderScreen as render } from './render';

interface Row {
  readonly id: string;
  readonly name: string;
}

export const groups = (exchange?: ExchangeDefinition) =>
  defineResource<Row>({
    name: 'UserGroupListTable',
    api: 'users/groups/',
    routes: {
      names: { list: 'UserGroupList', create: 'C', update: 'U', detail: 'D' },
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
    list: { columns: ['name', 'comment'], exchange },
    form: {
      groups: [],
      fields: {
        parent: {
          remote: {
            api: 'users/parents/',
            option: (row) => ({ id: String(row['id']), label: String(row['name']) }),
          },
        },
      },
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
const kind = field('Kind', {
  type: 'choice',
  choices: [
    { value: 'team', display_name: 'Team' },
    { value: 'shift', display_name: 'Shift' },
  ],
});
export const fields = {
  name: field('Name', { required: true, filter: true }),
  kind,
  comment: field('Comment'),
};
export const metadata = {
  name: 'User group',
  renders: ['application/json', 'text/csv', 'application/xlsx'],
  parses: ['application/json', 'text/csv', 'text/xlsx'],
  actions: { GET: fields, POST: fields, PUT: fields },
};
const rows: Row[] = [
  { id: 'g1', name: 'dba' },
  { id: 'g2', name: 'web' },
];

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly query: Record<string, string>;
  readonly headers: Headers;
  readonly body: string;
}

// A generous timeout for busy machines; a condition that never becomes true still fails.
configure({ asyncUtilTimeout: 20_000 });
vi.setConfig({ testTimeout: 60_000 });

export const server = setupServer();
export let sent: Sent[] = [];
/** Checks of an import, which write nothing. */
export let tried: Sent[] = [];
export let saved: { name: string; href: string }[] = [];
let count = rows.length;

/** Number of rows that the server reports. */
export function claimRows(rowsInAll: number): void {
  count = rowsInAll;
}

interface Call {
  readonly request: Request;
}
const isList = ({ request }: Call) => new URL(request.url).pathname === '/api/v1/users/groups/';
const isDryRun = (url: URL) => url.searchParams.has('dry_run');
/** The list, without checks of an import. */
export const LIST = (call: Call) => isList(call) && !isDryRun(new URL(call.request.url));
/** The checks of an import. */
export const CHECK = (call: Call) => isList(call) && isDryRun(new URL(call.request.url));
export const csvAnswer = (request: Request) =>
  new URL(request.url).searchParams.has('format')
    ? new HttpResponse('\uFEFFName\r\ndba\r\n', {
        headers: {
          'Content-Type': 'text/csv',
          'Content-Disposition': 'attachment; filename="group_2026-11-21_12-00-00.csv"',
        },
      })
    : HttpResponse.json({ count, next: null, previous: null, results: rows });

beforeAll(async () => {
  server.listen({ onUnhandledRequest: 'error' });
  // Imported here, so that loading does not count against the timeout of a single test.
  await Promise.all([
    import('#/resource/exchange/ImportWizard'),
    import('#/resource/exchange/ExportDialog'),
    import('#/domain/mfa/MfaDialog'),
    import('#/ui/question-dialog'),
  ]);
}, 60_000);
beforeEach(() => {
  sent = [];
  tried = [];
  saved = [];
  count = rows.length;
  clearToasts();
  // jsdom's File and Blob cannot be sent, because they have no streams.
  vi.stubGlobal('Blob', NodeBlob);
  vi.stubGlobal('File', NodeFile);
  URL.createObjectURL = () => 'blob:http://postern.test/1';
  URL.revokeObjectURL = () => {};
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function click(this: HTMLAnchorElement) {
    saved.push({ name: this.download, href: this.href });
  });
  server.events.on('request:start', async ({ request }) => {
    const copy = request.clone();
    const url = new URL(copy.url);
    const body = await copy.text();
    const list = isDryRun(url) ? tried : sent;
    list.push({
      method: copy.method,
      path: url.pathname.replace('/api/v1/', ''),
      query: Object.fromEntries(url.searchParams),
      headers: copy.headers,
      body,
    });
  });
  server.use(
    mock.options(LIST, () => HttpResponse.json(metadata)),
    mock.get(LIST, ({ request }) => csvAnswer(request)),
    mock.post(CHECK, async ({ request }) =>
      HttpResponse.json(((await request.json()) as unknown[]).map(() => ({ outcome: 'create', unique: [] }))),
    ),
    mock.put(CHECK, async ({ request }) =>
      HttpResponse.json(
        ((await request.json()) as unknown[]).map(() => ({ outcome: 'update', changes: {} })),
      ),
    ),
    mock.post('*/api/v1/common/resources/cache/', () => HttpResponse.json({ spm: 'spm-1' })),
  );
});
afterEach(() => {
  server.events.removeAllListeners();
  server.resetHandlers();
});
afterAll(() => server.close());

export const where = (method: string, path = 'users/groups/') =>
  sent.filter((request) => request.method === method && request.path === path);
export const exports = () => where('GET').filter((request) => 'format' in request.query);

/** Texts that the product loads with the dialogs */
export const renderScreen: typeof render = async (...args) => {
  const view = await render(...args);
  await loadNamespaces(['exchange']);
  return view;
};

export async function openMenu(
  entry: 'Export' | 'Import',
  options: Parameters<typeof renderScreen>[1] = {},
  exchange?: ExchangeDefinition,
) {
  const view = await renderScreen(<ResourceList resource={groups(exchange)} />, options);
  await screen.findByRole('link', { name: 'dba' });
  await userEvent.click(screen.getByRole('button', { name: 'Import and export' }));
  await userEvent.click(screen.getByRole('menuitem', { name: entry }));
  return { ...view, dialog: await screen.findByRole('dialog') };
}

export const TITLE = [
  ['*Name', 'name'],
  ['Kind', 'kind'],
  ['Comment', 'comment'],
];
export const rendered = (names: readonly string[]) => ({
  title: TITLE,
  data: names.map((name) => ({ name, kind: 'team' })),
});
export const csv = (name = 'groups.csv', content = '*Name\nops\n') =>
  new File([content], name, { type: 'text/csv' });
