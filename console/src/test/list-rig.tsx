import { Users } from 'lucide-react';
import { http as mock, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach, vi } from 'vitest';
import { clearToasts } from '#/ui/toast';
import { defineResource, type ListDefinition } from '#/resource/define';
import { ResourceList } from '#/resource/list/ResourceList';

interface Row {
  id: string;
  name: string;
  state: string;
}

export const LIST = '*/api/v1/things/';

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

export const server = setupServer();
interface Sent {
  method: string;
  query: Record<string, string>;
  body: unknown;
}

/** The server's rows, and the requests it received. */
export const rig: {
  stored: Row[];
  requests: Sent[];
  /** The server counts up to this number, and then to the end of the requested page. */
  countedUpTo: number;
} = { stored: [], requests: [], countedUpTo: Infinity };

export const sent = (method: string) => rig.requests.filter((request) => request.method === method);
export const lastQuery = () => sent('GET').at(-1)?.query;

/** Starts the server for the tests of a file. */
export function serveThings(): void {
  beforeAll(async () => {
    server.listen({ onUnhandledRequest: 'error' });
    // Imported here, so that loading does not count against the timeout of a single test.
    await import('#/ui/question-dialog');
  }, 60_000);
  beforeEach(() => {
    rig.requests = [];
    rig.countedUpTo = Infinity;
    rig.stored = Array.from({ length: 40 }, (_, at) => ({
      id: `t${at + 1}`,
      name: `thing ${at + 1}`,
      state: 'on',
    }));
    clearToasts();
    server.events.on('request:start', ({ request }) => {
      const copy = request.clone();
      const query = Object.fromEntries(new URL(request.url).searchParams);
      const entry = { method: request.method, query, body: null as unknown };
      rig.requests.push(entry);
      void copy.text().then((text) => {
        entry.body = text === '' ? null : (JSON.parse(text) as unknown);
      });
    });
    server.use(
      mock.options(LIST, () => HttpResponse.json(metadata)),
      mock.get(LIST, ({ request }) => {
        const query = new URL(request.url).searchParams;
        const offset = Number(query.get('offset'));
        const end = offset + Number(query.get('limit'));
        const most = Math.max(rig.countedUpTo, end);
        return HttpResponse.json({
          count: Math.min(rig.stored.length, most),
          ...(rig.stored.length > most ? { count_is_minimum: true } : {}),
          next: end < rig.stored.length ? `${LIST}?offset=${end}` : null,
          previous: null,
          results: rig.stored.slice(offset, end),
        });
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
}

/** The sample list that the tests render. */
export const list = (more?: Partial<ListDefinition<Row>>) => <ResourceList resource={things(more)} />;
