import type { ReactNode } from 'react';
import { http as mock, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { GenericTable, type GenericTableProps } from '#/resource/generic/GenericTable';
import { pageSource } from '#/resource/generic/row-source';
import { clearToasts } from '#/ui/toast';

export interface Plan {
  id: string;
  name: string;
  state?: string;
  state_display?: string;
}

export const URL_OF = '*/api/v1/plans/';
export const all: Plan[] = Array.from({ length: 23 }, (_, at) => ({
  id: `p${at + 1}`,
  name: `plan ${at + 1}`,
}));

export const server = setupServer();
interface Sent {
  method: string;
  path: string;
  query: Record<string, string>;
  body: unknown;
}
/** The server's rows, and the requests it received. */
export const rig: { stored: Plan[]; requests: Sent[] } = { stored: [], requests: [] };
export const sent = (method: string) => rig.requests.filter((request) => request.method === method);

export function pageAnswer(query: URLSearchParams) {
  const page = Number(query.get('page'));
  const size = Number(query.get('size'));
  const content = page === -1 ? rig.stored : rig.stored.slice((page - 1) * size, page * size);
  return HttpResponse.json({ payload: { content, totalElements: rig.stored.length } });
}

export function offsetAnswer(query: URLSearchParams) {
  const offset = Number(query.get('offset'));
  const limit = Number(query.get('limit'));
  if (!query.has('limit')) return HttpResponse.json(rig.stored);
  const results = rig.stored.slice(offset, offset + limit);
  return HttpResponse.json({ count: rig.stored.length, next: null, previous: null, results });
}

export function serve(answer: (query: URLSearchParams) => Response) {
  server.use(mock.get(URL_OF, ({ request }) => answer(new URL(request.url).searchParams)));
}

/** Starts the server for the tests of a file. */
export function servePlans(): void {
  beforeAll(async () => {
    server.listen({ onUnhandledRequest: 'error' });
    // Imported here, so that loading does not count against the timeout of a single test.
    await Promise.all([import('#/ui/question-dialog'), import('#/resource/generic/RowDialog')]);
  }, 60_000);
  beforeEach(() => {
    rig.requests = [];
    rig.stored = [...all];
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
      rig.requests.push(entry);
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
}

export const meta = (label: string, more = {}) => ({
  type: 'string',
  required: false,
  read_only: false,
  label,
  max_length: 64,
  ...more,
});
export const dialog = [{ name: 'name', meta: meta('Name', { required: true }) }];
export const columns = [
  { key: 'name', label: 'Name', sortable: true },
  { key: 'state', label: 'State' },
];

export function table(more: Partial<GenericTableProps<Plan>> = {}): ReactNode {
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
