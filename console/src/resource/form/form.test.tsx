import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { Users } from 'lucide-react';
import { http as mock, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { usePage } from '#/ui/page-title';
import { renderScreen } from '#/test/render';
import { clearToasts } from '#/ui/toast';
import type { FieldMap, FieldMeta } from '../api';
import { defineResource, type FieldSpec } from '../define';
import { ResourceForm } from './ResourceForm';

interface Row {
  id: string;
  name: string;
}

const LIST = '*/api/v1/things/';
const ONE = '*/api/v1/things/:id/';

function meta(label: string, type = 'string', more: Partial<FieldMeta> = {}): FieldMeta {
  return { type, required: false, read_only: false, label, max_length: 64, ...more };
}

/** A resource whose form has these fields in one group. */
function things(fields: FieldMap, specs: Readonly<Record<string, FieldSpec>> = {}) {
  server.use(
    mock.options(LIST, () => HttpResponse.json({ name: 'things', actions: { POST: fields } })),
    mock.options(ONE, () => HttpResponse.json({ name: 'thing', actions: { PUT: fields } })),
  );
  return defineResource<Row>({
    name: 'ThingListTable',
    api: 'things/',
    routes: {
      names: { list: 'ThingList', create: 'ThingCreate', update: 'ThingUpdate' },
      paths: { list: '/things', create: '/things/create', update: '/things/$id/update' },
      titles: { list: 'nav:group_list', create: 'nav:group_create', update: 'nav:group_update' },
    },
    icon: Users,
    nameOf: (row) => row.name,
    noun: { one: 'users:group.one', many: 'users:group.many', what: 'users:group.what' },
    list: { columns: ['name'] },
    form: { groups: [{ title: 'users:form.basic', fields: Object.keys(fields) }], fields: specs },
  });
}

const server = setupServer();
let requests: { method: string; path: string; query: Record<string, string>; body: unknown }[] = [];
const sent = (method: string) => requests.filter((request) => request.method === method);

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
beforeEach(() => {
  requests = [];
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

const created = () => mock.post(LIST, () => HttpResponse.json({ id: 't1', name: 'x' }, { status: 201 }));
const save = async () => userEvent.click(await screen.findByRole('button', { name: 'Save' }));
const atUpdate = { address: '/things/t1/update', pattern: '/things/$id/update' };

describe('modes', () => {
  test('[S4-029] without an id it creates with POST', async () => {
    server.use(created());
    await renderScreen(<ResourceForm resource={things({ name: meta('Name') })} mode="create" />);
    await userEvent.type(await screen.findByLabelText('Name'), 'x');
    await save();
    await waitFor(() => expect(sent('POST').map((request) => request.path)).toEqual(['/api/v1/things/']));
  });

  test('[S4-030] [S2-221] with an id it updates with PUT and returns to the list', async () => {
    server.use(
      mock.get(ONE, () => HttpResponse.json({ id: 't1', name: 'x' })),
      mock.put(ONE, () => HttpResponse.json({ id: 't1', name: 'xy' })),
    );
    const { router } = await renderScreen(
      <ResourceForm resource={things({ name: meta('Name') })} mode="update" />,
      atUpdate,
    );
    await userEvent.type(await screen.findByLabelText('Name'), 'y');
    await save();
    await waitFor(() => expect(router.state.location.pathname).toBe('/things'));
    expect(sent('PUT')[0]).toMatchObject({ path: '/api/v1/things/t1/', body: { name: 'xy' } });
    expect(sent('POST')).toHaveLength(0);
    // The form is finished, so its view among the open views closes.
    await waitFor(() => expect(usePage.getState().finished).toBe('/things/t1/update'));
  });

  test('what another administrator saved meanwhile is kept, or replaced only after a question', async () => {
    let stored = { id: 't1', name: 'x', comment: 'old', city: 'Bonn' };
    server.use(
      mock.get(ONE, () => HttpResponse.json(stored)),
      mock.put(ONE, () => HttpResponse.json(stored)),
    );
    const resource = things({ name: meta('Name'), comment: meta('Comment'), city: meta('City') });
    await renderScreen(<ResourceForm resource={resource} mode="update" />, atUpdate);
    await userEvent.type(await screen.findByLabelText('Name'), 'y');
    stored = { ...stored, name: 'theirs', comment: 'new' };
    await save();
    const question = await screen.findByRole('alertdialog', {
      name: 'Replace what somebody else has saved?',
    });
    expect(question.textContent).toContain('Name: theirs');
    await userEvent.click(within(question).getByRole('button', { name: 'Back to the form' }));
    expect(sent('PUT')).toEqual([]);
    await save();
    await userEvent.click(await screen.findByRole('button', { name: 'Replace their values' }));
    await waitFor(() => expect(sent('PUT')[0]?.body).toEqual({ name: 'xy', comment: 'new', city: 'Bonn' }));
  });

  test('[S8-042] a failed create has its own message', async () => {
    server.use(mock.post(LIST, () => HttpResponse.json({ detail: 'quota reached' }, { status: 400 })));
    await renderScreen(<ResourceForm resource={things({ name: meta('Name') })} mode="create" />);
    await save();
    expect(await screen.findByText('Create failed: quota reached')).toBeTruthy();
  });

  test('[S8-043] a failed update has its own message', async () => {
    server.use(
      mock.get(ONE, () => HttpResponse.json({ id: 't1', name: 'x' })),
      mock.put(ONE, () => HttpResponse.json({ error: 'locked' }, { status: 409 })),
    );
    await renderScreen(<ResourceForm resource={things({ name: meta('Name') })} mode="update" />, atUpdate);
    await save();
    expect(await screen.findByText('Update failed: locked')).toBeTruthy();
  });

  test('[S8-044] an object that cannot be loaded has its own message', async () => {
    server.use(mock.get(ONE, () => HttpResponse.json({}, { status: 500 })));
    await renderScreen(<ResourceForm resource={things({ name: meta('Name') })} mode="update" />, atUpdate);
    expect(await screen.findByText('Loading the user group failed')).toBeTruthy();
  });
});

describe('validation before sending', () => {
  test('[S5-001] [S5-002] [S5-003] an invalid form says so and sends nothing', async () => {
    const onInvalid = vi.fn<(names: readonly string[]) => void>();
    const fields = { note: meta('Note'), name: meta('Name', 'string', { required: true }) };
    await renderScreen(<ResourceForm resource={things(fields)} mode="create" onInvalid={onInvalid} />);
    await save();
    await waitFor(() => expect(onInvalid).toHaveBeenCalledExactlyOnceWith(['name']));
    expect(sent('POST')).toHaveLength(0);
    await waitFor(() => expect(document.activeElement).toBe(screen.getByLabelText(/Name/)));
  });

  test('[S5-008] required is checked when the field loses focus, and then on each change', async () => {
    const fields = { name: meta('Name', 'string', { required: true }) };
    await renderScreen(<ResourceForm resource={things(fields)} mode="create" />);
    await userEvent.click(await screen.findByLabelText(/Name/));
    expect(screen.queryByText('This field is required')).toBeNull();
    await userEvent.tab();
    expect(await screen.findByText('This field is required')).toBeTruthy();
    await userEvent.type(screen.getByLabelText(/Name/), 'a');
    await waitFor(() => expect(screen.queryByText('This field is required')).toBeNull());
    await userEvent.type(screen.getByLabelText(/Name/), '{Backspace}');
    expect(await screen.findByText('This field is required')).toBeTruthy();
  });

  test.each([
    ['[S5-009]', 'email', meta('F', 'email'), 'li@', 'li@example.invalid', 'Please enter your email address'],
    ['[S5-010]', 'extra', meta('F', 'json'), '{{"a":', '{{"a":1}', 'Not a valid json format'],
    ['[S5-024] [S9-043]', 'priority', meta('F', 'integer'), '101', '100', 'At most 100'],
    ['[S5-024] [S9-043]', 'priority', meta('F', 'integer'), '0', '1', 'At least 1'],
    ['[S5-031]', 'port', meta('F', 'integer'), '70000', '22', 'Port Error, please check'],
    ['[S5-031]', 'ssh_port', meta('F', 'string'), 'ssh', '2222', 'Port Error, please check'],
    ['[S5-042] too few', 'crontab', meta('F'), '0 3 * *', '0 3 * * 1', 'A crontab has 5 fields'],
    ['[S5-042] too many', 'crontab', meta('F'), '0 3 * * 1 2026', '0 3 * * 1', 'A crontab has 5 fields'],
    ['bounds of the metadata', 'days', meta('F', 'integer', { min_value: 3 }), '2', '3', 'At least 3'],
  ])('%s %s is refused while it is wrong', async (_ids, name, field, wrong, right, message) => {
    server.use(created());
    await renderScreen(<ResourceForm resource={things({ [name]: field })} mode="create" />);
    await userEvent.type(await screen.findByLabelText('F'), wrong);
    await save();
    expect(await screen.findByText(message)).toBeTruthy();
    expect(sent('POST')).toHaveLength(0);
    await userEvent.clear(screen.getByLabelText('F'));
    await userEvent.type(screen.getByLabelText('F'), right);
    await waitFor(() => expect(screen.queryByText(message)).toBeNull());
    await save();
    await waitFor(() => expect(sent('POST')).toHaveLength(1));
  });

  test('above five errors a summary links to the fields', async () => {
    const fields = Object.fromEntries(
      ['a', 'b', 'c', 'd', 'e', 'f'].map((name) => [
        name,
        meta(name.toUpperCase(), 'string', { required: true }),
      ]),
    );
    await renderScreen(<ResourceForm resource={things(fields)} mode="create" />);
    await save();
    const summary = await screen.findByRole('alert');
    await userEvent.click(within(summary).getByRole('button', { name: 'D' }));
    expect(document.activeElement).toBe(screen.getByLabelText(/D/));
  });
});

describe('server errors', () => {
  const nested = {
    name: meta('Name'),
    attrs: meta('Attributes', 'nested object', {
      children: { host: meta('Host'), port: meta('Port', 'integer', { default: 3306 }) },
    }),
  };
  const refused = (body: object) => mock.post(LIST, () => HttpResponse.json(body, { status: 400 }));

  test('[S5-004] [S3-079] each field of the map gets its message, alone or several', async () => {
    server.use(refused({ name: ['taken', 'too short'], note: 'no markup' }));
    const fields = { name: meta('Name'), note: meta('Note') };
    await renderScreen(<ResourceForm resource={things(fields)} mode="create" />);
    await save();
    expect(await screen.findByText('taken; too short')).toBeTruthy();
    const described = (label: string) =>
      document.getElementById(screen.getByLabelText(label).getAttribute('aria-describedby') ?? '');
    expect(described('Name')?.textContent).toBe('taken; too short');
    expect(described('Note')?.textContent).toBe('no markup');
  });

  test('[S5-006] errors of nested fields are shown at the nested field; values and defaults are nested as well', async () => {
    server.use(refused({ attrs: { host: ['unknown host'], non_field_errors: ['no route'] } }));
    await renderScreen(<ResourceForm resource={things(nested)} mode="create" />);
    await userEvent.type(await screen.findByLabelText('Host'), 'db-1');
    await save();
    expect(await screen.findByText('unknown host')).toBeTruthy();
    const host = screen.getByLabelText('Host');
    expect(document.getElementById(host.getAttribute('aria-describedby') ?? '')?.textContent).toBe(
      'unknown host',
    );
    expect(screen.getByText('no route')).toBeTruthy();
    expect(sent('POST')[0]?.body).toEqual({ name: '', attrs: { host: 'db-1', port: 3306 } });
    await waitFor(() => expect(document.activeElement).toBe(host));
  });

  test('errors of hidden or unknown fields and of lists are shown above the form', async () => {
    server.use(refused({ ports: { 0: ['bad port'] }, secret: ['weak'], non_field_errors: ['not today'] }));
    await renderScreen(<ResourceForm resource={things({ name: meta('Name') })} mode="create" />);
    await save();
    expect(await screen.findByText('ports: bad port; secret: weak; not today')).toBeTruthy();
  });
});

describe('controls', () => {
  test('an existing nested object, JSON and dates are loaded into the form and sent back unchanged', async () => {
    const object = {
      id: 't1',
      name: 'x',
      attrs: { host: 'db-1', secret: 'never' },
      extra: { a: [1] },
      day: '2026-11-20',
    };
    server.use(
      mock.get(ONE, () => HttpResponse.json(object)),
      mock.put(ONE, () => HttpResponse.json(object)),
    );
    const fields = {
      attrs: meta('Attributes', 'nested object', {
        children: { host: meta('Host'), secret: meta('Secret', 'string', { write_only: true }) },
      }),
      extra: meta('Extra', 'field'),
      day: meta('Day', 'date'),
    };
    await renderScreen(
      <ResourceForm resource={things(fields, { extra: { control: 'json' } })} mode="update" />,
      atUpdate,
    );
    expect((await screen.findByLabelText<HTMLInputElement>('Host')).value).toBe('db-1');
    expect(screen.getByLabelText<HTMLInputElement>('Secret').value).toBe('');
    await save();
    await waitFor(() =>
      expect(sent('PUT')[0]?.body).toEqual({
        attrs: { host: 'db-1' },
        extra: { a: [1] },
        day: '2026-11-20',
      }),
    );
  });

  test('a choice of more than four is filtered by typing', async () => {
    const choices = ['ssh', 'rdp', 'vnc', 'telnet', 'mysql'].map((value) => ({ value, display_name: value }));
    server.use(created());
    const fields = { protocol: meta('Protocol', 'choice', { choices }) };
    await renderScreen(<ResourceForm resource={things(fields)} mode="create" />);
    await userEvent.type(await screen.findByRole('combobox', { name: 'Protocol' }), 'my');
    expect(screen.getAllByRole('option').map((option) => option.textContent)).toEqual(['mysql']);
    await userEvent.keyboard('{Enter}');
    await save();
    await waitFor(() => expect(sent('POST')[0]?.body).toEqual({ protocol: 'mysql' }));
  });
});

describe('options from another list', () => {
  const people = Array.from({ length: 23 }, (_, at) => ({ id: `u${at + 1}`, name: `user ${at + 1}` }));
  const remote = {
    api: 'people/',
    option: (row: Record<string, unknown>) => ({ id: String(row['id']), label: String(row['name']) }),
  };
  const fields = { owner: meta('Owner', 'field') };
  beforeEach(() => {
    server.use(
      mock.get('*/api/v1/people/', ({ request }) => {
        const query = new URL(request.url).searchParams;
        const matches = people.filter((person) => (query.has('spm') ? person.id === 'u7' : true));
        const offset = Number(query.get('offset'));
        const results = matches.slice(offset, offset + Number(query.get('limit')));
        const next = offset + results.length < matches.length ? 'http://postern.test/next' : null;
        return HttpResponse.json({ count: matches.length, next, previous: null, results });
      }),
      mock.post('*/api/v1/common/resources/cache/', () => HttpResponse.json({ spm: 'spm-7' })),
    );
  });
  const pages = () => sent('GET').map((request) => request.query);

  test('[S3-068] [S9-012] [S9-013] results, count and next: ten at a time, more within 600 px of the end', async () => {
    await renderScreen(<ResourceForm resource={things(fields, { owner: { remote } })} mode="create" />);
    await userEvent.click(await screen.findByRole('combobox', { name: 'Owner' }));
    expect(await screen.findAllByRole('option')).toHaveLength(10);
    expect(screen.getByText('10 of 23 loaded')).toBeTruthy();
    expect(pages()[0]).toMatchObject({ offset: '0', limit: '10' });
    const list = screen.getByRole('listbox', { name: 'Owner' });
    const scrollTo = (rest: number) => {
      Object.defineProperties(list, {
        scrollHeight: { configurable: true, value: 2000 },
        clientHeight: { configurable: true, value: 280 },
        scrollTop: { configurable: true, value: 2000 - 280 - rest },
      });
      fireEvent.scroll(list);
    };
    scrollTo(600);
    expect(pages()).toHaveLength(1);
    scrollTo(599);
    await waitFor(() => expect(screen.getAllByRole('option')).toHaveLength(20));
    expect(pages()[1]).toMatchObject({ offset: '10', limit: '10' });
    scrollTo(100);
    await waitFor(() => expect(screen.getAllByRole('option')).toHaveLength(23));
    scrollTo(0);
    expect(pages()).toHaveLength(3);
  });

  test('names of chosen ids are loaded through resources/cache and spm', async () => {
    server.use(mock.get(ONE, () => HttpResponse.json({ id: 't1', name: 'x', owner: 'u7' })));
    await renderScreen(
      <ResourceForm resource={things(fields, { owner: { remote } })} mode="update" />,
      atUpdate,
    );
    const box = await screen.findByRole<HTMLInputElement>('combobox', { name: 'Owner' });
    await waitFor(() => expect(box.value).toBe('user 7'));
    expect(sent('POST')[0]?.body).toEqual({ resources: ['u7'] });
    expect(pages().find((query) => 'spm' in query)).toMatchObject({ spm: 'spm-7' });
  });
});
