import { Blob as NodeBlob, File as NodeFile } from 'node:buffer';
import { configure, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Users } from 'lucide-react';
import { http as mock, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Session } from '#/lib/session';
import { loadNamespaces } from '#/lib/i18n';
import { adminSession, renderScreen as render, rootOrg } from '#/test/render';
import { clearToasts } from '#/ui/toast';
import { defineResource, type ExchangeDefinition } from '../define';
import { ResourceList } from '../list/ResourceList';

interface Row {
  readonly id: string;
  readonly name: string;
}

const groups = (exchange?: ExchangeDefinition) =>
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
const fields = { name: field('Name', { required: true, filter: true }), kind, comment: field('Comment') };
const metadata = {
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

// The machine may be busy with other things; a condition that never comes true still fails.
configure({ asyncUtilTimeout: 20_000 });
vi.setConfig({ testTimeout: 60_000 });

const server = setupServer();
let sent: Sent[] = [];
let saved: { name: string; href: string }[] = [];
let count = rows.length;

const LIST = '*/api/v1/users/groups/';
const csvAnswer = (request: Request) =>
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
  // Loaded on demand in the product; here it must not count against the patience of a single test.
  await Promise.all([
    import('./ImportWizard'),
    import('./ExportDialog'),
    import('../mfa/MfaDialog'),
    import('#/ui/question-dialog'),
  ]);
}, 60_000);
beforeEach(() => {
  sent = [];
  saved = [];
  count = rows.length;
  clearToasts();
  // Those of jsdom can not be sent: they have no streams.
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
    sent.push({
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
    mock.post('*/api/v1/common/resources/cache/', () => HttpResponse.json({ spm: 'spm-1' })),
  );
});
afterEach(() => {
  server.events.removeAllListeners();
  server.resetHandlers();
});
afterAll(() => server.close());

const where = (method: string, path = 'users/groups/') =>
  sent.filter((request) => request.method === method && request.path === path);
const exports = () => where('GET').filter((request) => 'format' in request.query);

/** Texts that the product loads with the dialogs; each screen of a test starts with fresh ones. */
const renderScreen: typeof render = async (...args) => {
  const view = await render(...args);
  await loadNamespaces(['exchange']);
  return view;
};

async function openMenu(
  entry: 'Export' | 'Import',
  options: Parameters<typeof renderScreen>[1] = {},
  exchange?: ExchangeDefinition,
) {
  const view = await renderScreen(<ResourceList resource={groups(exchange)} />, options);
  await screen.findByRole('link', { name: 'dba' });
  const entries = async () => {
    await userEvent.click(screen.getByRole('button', { name: 'Import and export' }));
    await userEvent.click(screen.getByRole('menuitem', { name: entry }));
  };
  await entries();
  return { ...view, dialog: await screen.findByRole('dialog'), again: entries };
}

describe('the header action', () => {
  const menu = async (options: { session?: Session; exchange?: ExchangeDefinition; meta?: object } = {}) => {
    if (options.meta)
      server.use(mock.options(LIST, () => HttpResponse.json({ ...metadata, ...options.meta })));
    await renderScreen(<ResourceList resource={groups(options.exchange)} />, { session: options.session });
    await screen.findByRole('link', { name: 'dba' });
    const button = screen.queryByRole('button', { name: 'Import and export' });
    if (!button) return null;
    await userEvent.click(button);
    return screen.getAllByRole('menuitem').map((item) => item.textContent);
  };

  test('[S2-210] [S2-211] a list exports and imports', async () => {
    expect(await menu()).toEqual(['Import', 'Export']);
  });

  test('[S2-216] nothing is imported in the root organization', async () => {
    expect(await menu({ session: { ...adminSession, organization: rootOrg } })).toEqual(['Export']);
  });

  test('what the definition, the server or the rights do not allow is not offered', async () => {
    expect(await menu({ exchange: { import: false } })).toEqual(['Export']);
  });

  test('a server that neither renders nor reads files offers nothing', async () => {
    expect(await menu({ meta: { renders: ['application/json'], parses: ['application/json'] } })).toBeNull();
  });

  test('without the right to create nothing is imported', async () => {
    expect(await menu({ meta: { actions: { GET: fields } } })).toEqual(['Export']);
  });
});

describe('export', () => {
  test('[S5-046] [S5-047] [S5-048] without condition and selection only all is offered, the others say why', async () => {
    const { dialog } = await openMenu('Export');
    expect(within(dialog).getByRole('radio', { name: /^All/ })).toHaveProperty('checked', true);
    expect(within(dialog).getByRole('radio', { name: /^Selected.*No row is selected/ })).toHaveProperty(
      'disabled',
      true,
    );
    expect(within(dialog).getByRole('radio', { name: /^Filtered.*no condition/ })).toHaveProperty(
      'disabled',
      true,
    );
  });

  test('[S7-064] all is a GET on the list with the format, saved under the name of the server', async () => {
    const { dialog } = await openMenu('Export');
    await userEvent.click(within(dialog).getByRole('radio', { name: 'Excel (xlsx)' }));
    await userEvent.click(within(dialog).getByRole('button', { name: 'Export' }));
    expect(await screen.findByText('group_2026-11-21_12-00-00.csv downloaded')).toBeTruthy();
    expect(exports()[0]?.query).toEqual({ format: 'xlsx' });
    // The organization goes with every request; the server answers for the one that the person sees.
    expect(exports()[0]?.headers.get('X-JMS-ORG')).toBe(adminSession.organization.id);
    expect(saved).toEqual([{ name: 'group_2026-11-21_12-00-00.csv', href: 'blob:http://postern.test/1' }]);
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('[S5-046] [S7-066] with conditions the filtered rows are exported under the same conditions', async () => {
    const { dialog } = await openMenu('Export', { address: '/?search=d&name=dba&order=-name' });
    expect(within(dialog).getByRole('radio', { name: /^All.*clear them/ })).toHaveProperty('disabled', true);
    expect(within(dialog).getByRole('radio', { name: /^Filtered/ })).toHaveProperty('checked', true);
    await userEvent.click(within(dialog).getByRole('button', { name: 'Export' }));
    await waitFor(() => expect(saved).toHaveLength(1));
    expect(exports()[0]?.query).toEqual({ format: 'csv', search: 'd', name: 'dba', order: '-name' });
  });

  test('[S5-047] [S7-065] selected rows are exported by their spm', async () => {
    await renderScreen(<ResourceList resource={groups()} />);
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Select dba' }));
    await userEvent.click(screen.getByRole('button', { name: 'Import and export' }));
    await userEvent.click(screen.getByRole('menuitem', { name: 'Export' }));
    const dialog = await screen.findByRole('dialog');
    expect(within(dialog).getByRole('radio', { name: /^Selected ?· 1 row$/ })).toHaveProperty(
      'checked',
      true,
    );
    await userEvent.click(within(dialog).getByRole('button', { name: 'Export' }));
    await waitFor(() => expect(saved).toHaveLength(1));
    expect(JSON.parse(where('POST', 'common/resources/cache/')[0]?.body ?? '')).toEqual({
      resources: ['g1'],
    });
    expect(exports()[0]?.query).toEqual({ format: 'csv', spm: 'spm-1' });
  });

  test("a refusal is told in the server's words, and the dialog stays for another try", async () => {
    server.use(
      mock.get(LIST, ({ request }) =>
        new URL(request.url).searchParams.has('format')
          ? HttpResponse.json({ detail: 'Too many rows' }, { status: 400 })
          : csvAnswer(request),
      ),
    );
    const { dialog } = await openMenu('Export');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Export' }));
    expect((await within(dialog).findByRole('alert')).textContent).toBe('Export failed: Too many rows');
    expect(saved).toHaveLength(0);
    server.use(mock.get(LIST, ({ request }) => csvAnswer(request)));
    await userEvent.click(within(dialog).getByRole('button', { name: 'Export' }));
    await waitFor(() => expect(saved).toHaveLength(1));
  });

  test('more than 10,000 rows: what is left out is told before', async () => {
    count = 10_250;
    const { dialog } = await openMenu('Export');
    expect(within(dialog).getByText(/10,000 rows at most\. The other 250 are left out/)).toBeTruthy();
  });

  test('another list may be exported than the one shown', async () => {
    server.use(mock.get('*/api/v1/users/group-secrets/', ({ request }) => csvAnswer(request)));
    const { dialog } = await openMenu('Export', {}, { exportApi: 'users/group-secrets/' });
    await userEvent.click(within(dialog).getByRole('button', { name: 'Export' }));
    await waitFor(() => expect(saved).toHaveLength(1));
    expect(where('GET', 'users/group-secrets/')[0]?.query).toEqual({ format: 'csv' });
  });
});

test('[S5-047] who may only read selects rows and exports them', async () => {
  server.use(mock.options(LIST, () => HttpResponse.json({ ...metadata, actions: { GET: fields } })));
  await renderScreen(<ResourceList resource={groups()} />);
  await userEvent.click(await screen.findByRole('checkbox', { name: 'Select web' }));
  const bar = screen.getByRole('region', { name: 'Actions for the selection' });
  expect(within(bar).queryByRole('button', { name: 'Delete' })).toBeNull();
  await userEvent.click(screen.getByRole('button', { name: 'Import and export' }));
  await userEvent.click(screen.getByRole('menuitem', { name: 'Export' }));
  const dialog = await screen.findByRole('dialog');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Export' }));
  await waitFor(() => expect(exports()[0]?.query).toEqual({ format: 'csv', spm: 'spm-1' }));
});

describe('[S4-062] export of rows with secrets', () => {
  const MFA = '*/api/v1/authentication/otp/verify/';
  async function press() {
    await renderScreen(<ResourceList resource={groups({ mfa: true })} />);
    await screen.findByRole('link', { name: 'dba' });
    await userEvent.click(screen.getByRole('button', { name: 'Import and export' }));
    await userEvent.click(screen.getByRole('menuitem', { name: 'Export' }));
  }
  const refused = () => HttpResponse.json({ detail: 'x', code: 'mfa_verify_required' }, { status: 400 });

  test('verified of late, the export dialog opens', async () => {
    server.use(mock.get(MFA, () => HttpResponse.json({ code: 'ok' })));
    await press();
    expect(await screen.findByRole('dialog', { name: 'Export user groups' })).toBeTruthy();
    expect(where('GET', 'authentication/otp/verify/')).toHaveLength(1);
  });

  test('otherwise the code comes first, and only then the export dialog', async () => {
    server.use(
      mock.get(MFA, refused),
      mock.post(MFA, () => HttpResponse.json({ code: 'ok' })),
    );
    await press();
    const question = await screen.findByRole('dialog');
    expect(screen.queryByRole('dialog', { name: 'Export user groups' })).toBeNull();
    await userEvent.type(within(question).getByRole('textbox'), '123456');
    const sends = sent.some(({ method, path }) => method === 'POST' && path === 'authentication/otp/verify/');
    if (!sends) await userEvent.keyboard('{Enter}');
    expect(await screen.findByRole('dialog', { name: 'Export user groups' })).toBeTruthy();
  });

  test('given up, nothing is shown or exported', async () => {
    server.use(mock.get(MFA, refused));
    await press();
    const question = await screen.findByRole('dialog');
    await userEvent.click(within(question).getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(exports()).toHaveLength(0);
  });

  test('run out while the dialog was open, the code is asked for again', async () => {
    let fresh = false;
    server.use(
      mock.get(MFA, () => HttpResponse.json({ code: 'ok' })),
      mock.get(LIST, ({ request }) => {
        if (!new URL(request.url).searchParams.has('format') || fresh) return csvAnswer(request);
        fresh = true;
        return refused();
      }),
    );
    await press();
    const dialog = await screen.findByRole('dialog', { name: 'Export user groups' });
    await userEvent.click(within(dialog).getByRole('button', { name: 'Export' }));
    await waitFor(() => expect(saved).toHaveLength(1));
    expect(exports()).toHaveLength(2);
    expect(where('GET', 'authentication/otp/verify/')).toHaveLength(2);
  });
});

const TITLE = [
  ['*Name', 'name'],
  ['Kind', 'kind'],
  ['Comment', 'comment'],
];
const rendered = (names: readonly string[]) => ({
  title: TITLE,
  data: names.map((name) => ({ name, kind: 'team' })),
});
const csv = (name = 'groups.csv', content = '*Name\nops\n') =>
  new File([content], name, { type: 'text/csv' });

describe('import: the file', () => {
  const choose = (files: File | File[]) =>
    userEvent.upload(screen.getByLabelText('Choose file', { selector: 'input' }), files, {
      applyAccept: false,
    });

  test('[S7-067] [S7-068] [S7-069] it is posted as it is to render-to-json, and title and data become the table', async () => {
    server.use(
      mock.post('*/users/groups/render-to-json/', () => HttpResponse.json(rendered(['ops', 'net']))),
    );
    const { dialog } = await openMenu('Import');
    await choose(csv());
    expect(await within(dialog).findByRole('columnheader', { name: /^Name/ })).toBeTruthy();
    const [post] = where('POST', 'users/groups/render-to-json/');
    expect(post?.headers.get('Content-Type')).toBe('text/csv');
    expect(post?.body).toBe('*Name\nops\n');
    expect(within(dialog).getByRole('button', { name: 'Name, row 2: net' })).toBeTruthy();
    expect(within(dialog).getByText(/2 rows/)).toBeTruthy();
  });

  test('[S3-070] [S7-068] an xlsx file is sent as text/xlsx', async () => {
    server.use(mock.post('*/users/groups/render-to-json/', () => HttpResponse.json(rendered(['ops']))));
    const { dialog } = await openMenu('Import');
    await choose(csv('groups.xlsx'));
    await within(dialog).findByRole('columnheader', { name: /^Name/ });
    expect(where('POST', 'users/groups/render-to-json/')[0]?.headers.get('Content-Type')).toBe('text/xlsx');
  });

  test('[S5-032] [S5-036] another format is highlighted with help, and nothing is sent', async () => {
    const { dialog } = await openMenu('Import');
    await choose(csv('groups.txt'));
    expect(within(dialog).getByText(/groups\.txt is neither \.csv nor \.xlsx\. Save it/)).toBeTruthy();
    expect(within(dialog).getByText('One file, .csv or .xlsx').dataset['broken']).toBe('true');
    expect(within(dialog).getByText('At most 10 MB').dataset['broken']).toBeUndefined();
    expect(where('POST', 'users/groups/render-to-json/')).toHaveLength(0);
  });

  test('[S5-035] [S5-037] too large a file highlights the limit that is in force', async () => {
    const { dialog } = await openMenu('Import', {
      session: { ...adminSession, settings: { IMPORT_MAX_MB: 1 } },
    });
    await choose(csv('big.csv', 'x'.repeat(1024 * 1024 + 1)));
    expect(within(dialog).getByText(/big\.csv has 1\.0 MB, more than the 1 MB/)).toBeTruthy();
    expect(within(dialog).getByText('At most 1 MB').dataset['broken']).toBe('true');
    expect(within(dialog).getByText('One file, .csv or .xlsx').dataset['broken']).toBeUndefined();
  });

  test('[S5-033] two dropped files are refused, one is taken', async () => {
    server.use(mock.post('*/users/groups/render-to-json/', () => HttpResponse.json(rendered(['ops']))));
    const { dialog } = await openMenu('Import');
    const zone = within(dialog).getByText('Drop a file here or').parentElement;
    if (!zone) throw new Error('no place to drop');
    const drop = (files: File[]) => {
      const event = new Event('drop', { bubbles: true, cancelable: true });
      Object.assign(event, { dataTransfer: { files } });
      zone.dispatchEvent(event);
    };
    drop([csv('a.csv'), csv('b.csv')]);
    expect(await within(dialog).findByText(/2 files were dropped/)).toBeTruthy();
    expect(screen.getByLabelText('Choose file', { selector: 'input' })).toHaveProperty('multiple', false);
    drop([csv('a.csv')]);
    expect(await within(dialog).findByRole('button', { name: 'Name, row 1: ops' })).toBeTruthy();
  });

  test('[S8-032] a file that the server can not read: its error stands beneath the uploader', async () => {
    server.use(
      mock.post('*/users/groups/render-to-json/', () =>
        HttpResponse.json({ error: 'No row with a value' }, { status: 400 }),
      ),
    );
    const { dialog } = await openMenu('Import');
    await choose(csv());
    const note = await within(dialog).findByText('No row with a value');
    const button = within(dialog).getByRole('button', { name: 'Choose file' });
    expect(button.compareDocumentPosition(note) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
    expect(screen.queryByRole('alertdialog')).toBeNull();
  });

  test('a file without a known column, and unknown columns in another, are told', async () => {
    server.use(
      mock.post('*/users/groups/render-to-json/', () =>
        HttpResponse.json({ title: [['Colour', '']], data: [{}] }),
      ),
    );
    const { dialog } = await openMenu('Import');
    await choose(csv());
    expect(await within(dialog).findByText(/No column of the file belongs to a field/)).toBeTruthy();
    server.use(
      mock.post('*/users/groups/render-to-json/', () =>
        HttpResponse.json({ title: [...TITLE, ['Colour', '']], data: [{ name: 'ops' }] }),
      ),
    );
    await choose(csv());
    expect(await within(dialog).findByText(/left out: Colour/)).toBeTruthy();
  });

  test('[S7-072] [S7-073] [S7-074] templates', async () => {
    const { dialog } = await openMenu('Import');
    await userEvent.click(within(dialog).getByRole('button', { name: 'csv' }));
    await waitFor(() => expect(saved).toHaveLength(1));
    expect(exports()[0]?.query).toEqual({ format: 'csv', template: 'import', limit: '1' });
    await userEvent.click(within(dialog).getByRole('radio', { name: 'Update existing ones' }));
    await userEvent.click(within(dialog).getByRole('button', { name: 'xlsx' }));
    await waitFor(() => expect(saved).toHaveLength(2));
    expect(exports()[1]?.query).toEqual({ format: 'xlsx', template: 'update', limit: '1' });
  });

  test('[S7-074] the update template of selected rows has their spm', async () => {
    await renderScreen(<ResourceList resource={groups()} />);
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Select web' }));
    await userEvent.click(screen.getByRole('button', { name: 'Import and export' }));
    await userEvent.click(screen.getByRole('menuitem', { name: 'Import' }));
    const dialog = await screen.findByRole('dialog');
    await userEvent.click(within(dialog).getByRole('radio', { name: 'Update existing ones' }));
    expect(within(dialog).getByText(/1 selected object/)).toBeTruthy();
    await userEvent.click(within(dialog).getByRole('button', { name: 'csv' }));
    await waitFor(() => expect(saved).toHaveLength(1));
    expect(exports()[0]?.query).toEqual({ format: 'csv', template: 'update', spm: 'spm-1' });
  });

  test('a template that does not come is told', async () => {
    const { dialog } = await openMenu('Import');
    server.use(mock.get(LIST, () => HttpResponse.json({ error: 'no templates today' }, { status: 500 })));
    await userEvent.click(within(dialog).getByRole('button', { name: 'csv' }));
    expect(await screen.findByText('The template was not downloaded: no templates today')).toBeTruthy();
  });
});

describe('import: the run', () => {
  /** Opens the wizard with these rows read; names that start with “bad” are refused. */
  async function withRows(names: readonly string[], mode: 'create' | 'update' = 'create', data?: object[]) {
    const bodies: Record<string, unknown>[] = [];
    const save = async (request: Request, status: number) => {
      const body = (await request.json()) as Record<string, unknown>;
      bodies.push(body);
      return String(body['name']).startsWith('bad')
        ? HttpResponse.json({ name: ['taken', 'too short'], meta: { port: ['high'] } }, { status: 400 })
        : HttpResponse.json({ ...body, id: `new-${String(body['name'])}` }, { status });
    };
    server.use(
      mock.post('*/users/groups/render-to-json/', () =>
        HttpResponse.json(
          data ? { title: [['ID', 'id'], ...TITLE, ['Parent', 'parent']], data } : rendered(names),
        ),
      ),
      mock.post(LIST, ({ request }) => save(request, 201)),
      mock.put('*/api/v1/users/groups/:id/', ({ request }) => save(request, 200)),
    );
    const view = await openMenu('Import');
    if (mode === 'update')
      await userEvent.click(within(view.dialog).getByRole('radio', { name: 'Update existing ones' }));
    await userEvent.upload(screen.getByLabelText('Choose file', { selector: 'input' }), csv());
    await within(view.dialog).findByRole('columnheader', { name: /^Name/ });
    return { ...view, bodies };
  }
  const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));
  const row = (number: number) => screen.getByRole('row', { name: new RegExp(`^${number} `) });

  test('[S7-070] [S4-052] [S4-056] create: one POST for each row, in their order', async () => {
    const { dialog } = await withRows(['ops', 'net']);
    await press('Import');
    expect(await within(dialog).findByRole('button', { name: 'Finished' })).toBeTruthy();
    expect(where('POST').map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      { name: 'ops', kind: 'team' },
      { name: 'net', kind: 'team' },
    ]);
    expect(await screen.findByText('2 rows imported')).toBeTruthy();
    await press('Finished');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  test('[S7-071] update: one PUT to each object; a row without an ID fails by itself', async () => {
    const { dialog } = await withRows([], 'update', [
      { id: 'g1', name: 'dba' },
      { name: 'nobody' },
      { id: 'g2', name: 'web' },
    ]);
    await press('Import');
    expect(await within(dialog).findByRole('button', { name: 'Continue' })).toBeTruthy();
    const puts = sent.filter(({ method }) => method === 'PUT');
    expect(puts.map(({ path }) => path)).toEqual(['users/groups/g1/', 'users/groups/g2/']);
    expect(where('POST')).toHaveLength(0);
    expect(within(row(2)).getByText('ID: an update needs the ID of the object')).toBeTruthy();
  });

  test('[S8-030] [S8-031] [S8-033] [S4-055] failures: on their row, behind its x icon, and as a toast', async () => {
    const { dialog } = await withRows(['ops', 'bad-1']);
    await press('Import');
    expect(await screen.findByText('1 row failed to import')).toBeTruthy();
    expect(within(dialog).getByRole('button', { name: 'Continue' })).toBeTruthy();
    expect(within(row(2)).getByText('Failed')).toBeTruthy();
    const cell = within(dialog).getByRole('button', { name: 'Name, row 2: bad-1 (failed)' });
    expect(cell.dataset['failed']).toBe('');
    const icon = within(dialog).getByRole('button', { name: 'Why row 2 failed' });
    icon.focus();
    expect(document.activeElement).toBe(icon);
    await userEvent.keyboard('{Enter}');
    const details = await screen.findByRole('dialog', { name: 'Why row 2 failed' });
    expect(
      within(details)
        .getAllByRole('listitem')
        .map((item) => item.textContent),
    ).toEqual(['Name: taken; too short', 'meta.port: high']);
  });

  test('[S4-058] [S4-057] a cell is changed by keyboard alone; its row is imported again', async () => {
    const { dialog, bodies } = await withRows(['ops', 'bad-1', 'bad-2']);
    await press('Import');
    await within(dialog).findByRole('button', { name: 'Continue' });
    within(dialog).getByRole('button', { name: 'Name, row 2: bad-1 (failed)' }).focus();
    await userEvent.keyboard('{Enter}');
    const input = within(dialog).getByRole('textbox', { name: 'Name, row 2' });
    expect(document.activeElement).toBe(input);
    await userEvent.keyboard('{Control>}a{/Control}good{Enter}');
    const changed = within(dialog).getByRole('button', { name: 'Name, row 2: good' });
    expect(document.activeElement).toBe(changed);
    expect(within(row(2)).getByText('Pending')).toBeTruthy();
    await press('Continue');
    await waitFor(() =>
      expect(bodies.map(({ name }) => name)).toEqual(['ops', 'bad-1', 'bad-2', 'good', 'bad-2']),
    );
  });

  test('Escape takes a change back and leaves the wizard open; leaving by blur keeps it', async () => {
    const { dialog } = await withRows(['ops']);
    await userEvent.click(within(dialog).getByRole('button', { name: 'Name, row 1: ops' }));
    await userEvent.keyboard('x{Escape}');
    await userEvent.click(await within(dialog).findByRole('button', { name: 'Name, row 1: ops' }));
    await userEvent.keyboard('{Control>}a{/Control}[["a", 1]');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Kind, row 1: team' }));
    expect(within(dialog).getByRole('button', { name: 'Name, row 1: ["a",1]' })).toBeTruthy();
  });

  test('[S4-053] [S4-054] stopped in the middle: the row under way is finished, the rest waits', async () => {
    let release: (() => void) | undefined;
    const { dialog } = await withRows(['ops', 'net', 'dev']);
    server.use(
      mock.post(LIST, async () => {
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        return HttpResponse.json({ id: 'x' }, { status: 201 });
      }),
    );
    await press('Import');
    expect(await within(dialog).findByText('Importing')).toBeTruthy();
    await press('Stop');
    expect(within(dialog).getByRole('button', { name: 'Continue' })).toBeTruthy();
    await waitFor(() => expect(release).toBeDefined());
    release?.();
    await waitFor(() => expect(within(dialog).getByRole('button', { name: 'Succeeded 1' })).toBeTruthy());
    expect(within(dialog).getByRole('button', { name: 'Pending 2' })).toBeTruthy();
    expect(where('POST')).toHaveLength(1);
  });

  test('a lost connection stops the run with its reason; continuing repeats that row', async () => {
    const { dialog, bodies } = await withRows(['ops', 'net', 'dev']);
    let broken = true;
    server.use(
      mock.post(LIST, async ({ request }) => {
        const body = (await request.clone().json()) as { name: string };
        if (broken && body.name === 'net') return HttpResponse.error();
        return undefined;
      }),
    );
    await press('Import');
    expect((await within(dialog).findByRole('alert')).textContent).toMatch(
      /^The import stopped: .*nothing is lost/,
    );
    expect(bodies.map(({ name }) => name)).toEqual(['ops']);
    broken = false;
    await press('Continue');
    expect(await within(dialog).findByRole('button', { name: 'Finished' })).toBeTruthy();
    expect(bodies.map(({ name }) => name)).toEqual(['ops', 'net', 'dev']);
    expect(within(dialog).queryByRole('alert')).toBeNull();
  });

  test('a lost session stops it, too', async () => {
    const { dialog } = await withRows(['ops', 'net']);
    server.use(mock.post(LIST, () => HttpResponse.json({ code: 'not_authenticated' }, { status: 401 })));
    await press('Import');
    expect(await within(dialog).findByRole('alert')).toBeTruthy();
    expect(where('POST')).toHaveLength(1);
    expect(within(dialog).getByRole('button', { name: 'Continue' })).toBeTruthy();
  });

  test('closing while it runs asks first', async () => {
    const { dialog } = await withRows(['ops', 'net']);
    server.use(mock.post(LIST, () => new Promise<never>(() => {})));
    await press('Import');
    const close = within(dialog).getAllByRole('button', { name: 'Close' }).at(-1);
    if (!close) throw new Error('no close button');
    await userEvent.click(close);
    const question = await screen.findByRole('alertdialog', { name: 'Stop the import?' });
    await userEvent.click(within(question).getByRole('button', { name: 'Go on importing' }));
    expect(screen.getByRole('button', { name: 'Stop' })).toBeTruthy();
    await userEvent.click(close);
    await userEvent.click(
      within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Stop and close' }),
    );
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  test('[S9-015] ten rows a page; before the run all rows, then what needs attention', async () => {
    const names = Array.from({ length: 23 }, (_, index) => (index === 4 ? 'bad' : `g-${index + 1}`));
    const { dialog } = await withRows(names);
    expect(within(dialog).getAllByRole('row')).toHaveLength(11);
    expect(within(dialog).getByText('1 / 3')).toBeTruthy();
    await userEvent.click(within(dialog).getByRole('button', { name: 'Next page' }));
    await userEvent.click(within(dialog).getByRole('button', { name: 'Next page' }));
    expect(within(dialog).getAllByRole('row')).toHaveLength(4);
    await press('Import');
    await screen.findByText('1 row failed to import');
    expect(within(dialog).getByRole('button', { name: 'Failed and in progress 1' }).ariaPressed).toBe('true');
    expect(within(dialog).getAllByRole('row')).toHaveLength(2);
    // The page that was shown came first.
    const order = where('POST').map(({ body }) => (JSON.parse(body) as { name: string }).name);
    expect(order.slice(0, 4)).toEqual(['g-21', 'g-22', 'g-23', 'g-1']);
    const bar = within(dialog).getByRole('progressbar', { name: 'Import progress' });
    expect(bar.getAttribute('aria-valuetext')).toBe('23 / 23');
  });

  test('failed rows are downloaded as csv, a slip is put right by its remedy', async () => {
    const blobs: Blob[] = [];
    URL.createObjectURL = (blob) => {
      if (blob instanceof Blob) blobs.push(blob);
      return 'blob:x';
    };
    const { dialog } = await withRows([], 'create', [{ name: 'bad', kind: 'teem' }]);
    server.use(mock.post(LIST, () => HttpResponse.json({ kind: ['not a choice'] }, { status: 400 })));
    await press('Import');
    await within(dialog).findByRole('button', { name: 'Continue' });
    await press('Download failed rows');
    expect(saved).toEqual([expect.objectContaining({ name: 'groups-failed.csv' })]);
    expect(blobs[0]?.size).toBeGreaterThan(20);
    await press('Set to Team');
    expect(within(dialog).getByRole('button', { name: 'Kind, row 1: team' })).toBeTruthy();
    expect(within(row(1)).getByText('Pending')).toBeTruthy();
  });

  test('a relation that is named almost rightly is offered, too', async () => {
    const { dialog } = await withRows([], 'create', [{ name: 'x', kind: 'team', parent: 'Hedquarters' }]);
    server.use(
      mock.post(LIST, () => HttpResponse.json({ parent: ['no such object'] }, { status: 400 })),
      mock.get('*/api/v1/users/parents/', () =>
        HttpResponse.json({ count: 1, next: null, results: [{ id: 'p1', name: 'Headquarters' }] }),
      ),
    );
    await press('Import');
    await userEvent.click(await within(dialog).findByRole('button', { name: 'Set to Headquarters' }));
    expect(within(dialog).getByRole('button', { name: 'Parent, row 1: p1' })).toBeTruthy();
  });

  test('[S9-017] [S9-018] a formula and a very long text are shown as text, in columns of 100 to 180 px', async () => {
    const formula = "=cmd|' /C calc'!A0";
    const { dialog } = await withRows([formula, '<img src=x onerror=alert(1)>', 'x'.repeat(500)]);
    expect(within(dialog).getByRole('button', { name: `Name, row 1: ${formula}` }).textContent).toBe(formula);
    expect(within(dialog).queryByRole('img')).toBeNull();
    const widths = [...dialog.querySelectorAll('col')].map((col) => col.style.width);
    expect(widths.slice(1, 4)).toEqual(['180px', '100px', '100px']);
  });
});
