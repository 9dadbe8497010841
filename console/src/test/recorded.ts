import type { RequestHandler } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest';
import { clearToasts } from '#/ui/toast';

/** A request that a screen has sent. `path` is relative to the API root. */
export interface Recorded {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  body: unknown;
}

/**
 * An API for the tests of a file: `handlers` answer in each test, every other request is an error, and all requests are
 * recorded. `load` imports code that the product loads on demand, so that it does not count against the timeout of a
 * single test.
 */
export function recordedServer(
  handlers: () => readonly RequestHandler[],
  load: () => readonly Promise<unknown>[] = () => [],
) {
  const server = setupServer();
  const requests: Recorded[] = [];
  beforeAll(async () => {
    server.listen({ onUnhandledRequest: 'error' });
    await Promise.all(load());
  }, 60_000);
  beforeEach(() => {
    requests.length = 0;
    clearToasts();
    server.events.on('request:start', ({ request }) => {
      const url = new URL(request.url);
      const entry: Recorded = {
        method: request.method,
        path: url.pathname.replace('/api/v1/', ''),
        query: url.searchParams,
        body: null,
      };
      requests.push(entry);
      void request
        .clone()
        .text()
        .then((text) => {
          entry.body = text === '' ? null : (JSON.parse(text) as unknown);
        });
    });
    server.use(...handlers());
  });
  afterEach(() => {
    server.events.removeAllListeners();
    server.resetHandlers();
  });
  afterAll(() => server.close());
  return {
    server,
    /** Requests with one method to one path. */
    sent: (method: string, path: string) =>
      requests.filter((request) => request.method === method && request.path === path),
    methods: () => requests.map((request) => request.method),
  };
}

/** Metadata of a text field, with changes. */
export function field(label: string, more: object = {}) {
  return { type: 'string', required: false, read_only: false, label, max_length: 128, ...more };
}

/** Choices with texts that differ from their values. */
export function choices(...values: readonly (string | number)[]) {
  return values.map((value) => ({ value, display_name: `the ${value}` }));
}

/** An answer with a single page that holds all rows. */
export function pageOf(results: readonly unknown[]) {
  return { count: results.length, next: null, previous: null, results };
}
