import { http as mock, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startI18n } from '../i18n';
import { explain } from './catalogue';
import { http, onHttp, setRequestOrganization, TIMEOUT_MS } from './client';
import {
  ConflictError,
  fieldErrors,
  ForbiddenError,
  type HttpError,
  MissingTokenError,
  NoAnswerError,
  NotFoundError,
  SignedOutError,
  ValidationError,
} from './errors';
import { cleanQuery } from './query-string';

const server = setupServer();
const failed = vi.fn<(error: HttpError | NoAnswerError) => void>();
const signedOut = vi.fn<(error: SignedOutError | MissingTokenError) => void>();

beforeAll(async () => {
  server.listen({ onUnhandledRequest: 'error' });
  await startI18n(['app'], 'en');
});
beforeEach(() => {
  failed.mockReset();
  signedOut.mockReset();
  onHttp({ failed, signedOut, answered() {} });
});
afterEach(() => {
  vi.restoreAllMocks();
  server.resetHandlers();
  setRequestOrganization(null);
});
afterAll(() => server.close());

function answer(status: number, body: unknown = {}) {
  let count = 0;
  server.use(
    mock.all('*/api/v1/things/', () => {
      count += 1;
      return HttpResponse.json(body as Record<string, unknown>, { status });
    }),
  );
  return () => count;
}

test('[S7-001] [S7-002] [S7-003] a request carries token, organization and time zone', async () => {
  const seen: Headers[] = [];
  server.use(
    mock.post('*/api/v1/things/', ({ request }) => {
      seen.push(request.headers);
      return HttpResponse.json({ id: 1 });
    }),
  );
  document.cookie = 'csrftoken=tok-1; path=/';
  setRequestOrganization('org-1');
  await http.post('things/', { name: 'a' });
  expect(seen[0]?.get('X-CSRFToken')).toBe('tok-1');
  expect(seen[0]?.get('X-JMS-ORG')).toBe('org-1');
  expect(seen[0]?.get('X-TZ')).toBe(Intl.DateTimeFormat().resolvedOptions().timeZone);
});

test('[S9-001] a request is aborted after 60 s', async () => {
  expect(TIMEOUT_MS).toBe(60_000);
  const limits: number[] = [];
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    limits.push(ms);
    return AbortSignal.abort(new DOMException('too late', 'TimeoutError'));
  });
  answer(200);
  const error: unknown = await http.get('things/').catch((caught: unknown) => caught);
  expect(error).toMatchObject({ timedOut: true });
  expect(error).toBeInstanceOf(NoAnswerError);
  expect(limits).toEqual([60_000]);
});

test('[S5-064] [S5-065] empty query values are dropped, the others become trimmed text', () => {
  expect(cleanQuery({ a: '', b: null, c: undefined, d: ' x ', e: 0, f: false })).toEqual({
    d: 'x',
    e: '0',
    f: 'false',
  });
});

describe('refusals', () => {
  test.each([
    [400, ValidationError, { name: ['required'] }],
    [403, ForbiddenError, {}],
    [404, NotFoundError, {}],
    [409, ConflictError, {}],
  ])('status %i becomes its own class', async (status, kind, body) => {
    answer(status, body);
    await expect(http.get('things/')).rejects.toBeInstanceOf(kind);
    expect(failed).toHaveBeenCalledTimes(1);
  });

  test('[S8-048] a refused request is not retried', async () => {
    const count = answer(503);
    await expect(http.get('things/')).rejects.toThrow('HTTP 503');
    expect(count()).toBe(1);
  });

  test('[S8-018] a refused quiet request is not reported', async () => {
    answer(500, { error: 'boom' });
    await expect(http.get('things/', { quiet: true })).rejects.toThrow('boom');
    expect(failed).not.toHaveBeenCalled();
  });

  test('[S8-004] 401 is reported as signed out, not as a failure', async () => {
    answer(401, { code: 'not_authenticated' });
    await expect(http.get('things/')).rejects.toBeInstanceOf(SignedOutError);
    expect(failed).not.toHaveBeenCalled();
    expect(signedOut).toHaveBeenCalledTimes(1);
    await expect(http.get('things/', { quiet: true })).rejects.toBeInstanceOf(SignedOutError);
    expect(signedOut).toHaveBeenCalledTimes(2);
  });
});

describe('messages', () => {
  test.each([
    [400, '[S8-010]', 'Bad request, please check again'],
    [403, '[S8-011]', 'Bad request, no permission for this operation'],
    [404, '[S8-013]', 'Resource lost or deleted'],
    [409, '[S8-012]', 'Refreshing, please try again later'],
    [500, '[S8-017]', 'The operation failed and the server gave no reason'],
  ])('status %i: %s', async (status, _, text) => {
    answer(status);
    const error: unknown = await http.get('things/').catch((problem: unknown) => problem);
    expect(explain(error)).toBe(text);
  });

  test.each(['error', 'msg', 'detail'])("[S8-016] the message is the server's %s", async (key) => {
    answer(418, { [key]: 'words of the server' });
    const error: unknown = await http.get('things/').catch((problem: unknown) => problem);
    expect(explain(error)).toBe('words of the server');
  });
});

test('a request without any answer has its own class', async () => {
  server.use(mock.get('*/api/v1/things/', () => HttpResponse.error()));
  await expect(http.get('things/')).rejects.toBeInstanceOf(NoAnswerError);
});

test('[S5-005] messages of a field are joined with a semicolon, nested ones keep their path', () => {
  expect(
    fieldErrors({
      name: ['a', 'b'],
      meta: { port: ['c'] },
      protocols: { 0: ['bad'] },
      rows: [{}, { ip: ['d'] }],
    }),
  ).toEqual({ name: 'a; b', meta: { port: 'c' }, protocols: { 0: 'bad' }, rows: { 0: {}, 1: { ip: 'd' } } });
});

test('[S8-002] in a session without the CSRF cookie a write is not sent but asks to sign in again', async () => {
  const sent = answer(201);
  setRequestOrganization('org-1');
  await expect(http.post('things/', {})).rejects.toThrow('No token found in cookie');
  expect(sent()).toBe(0);
  expect(signedOut).toHaveBeenCalledWith(expect.any(MissingTokenError));
});

test('[S3-078] the text of an error is its `error`, `msg` or `detail`', async () => {
  const said = async (body: unknown) => {
    answer(502, body);
    return explain(await http.get('things/', { quiet: true }).catch((error: unknown) => error));
  };
  expect(await said({ error: 'one', msg: 'two', detail: 'three' })).toBe('one');
  expect(await said({ msg: 'two', detail: 'three' })).toBe('two');
  expect(await said({ detail: 'three' })).toBe('three');
  expect(await said({})).toBe('The operation failed and the server gave no reason');
});

test('[S3-079] field errors are a map of field to one or several messages', async () => {
  answer(400, { name: 'Too long', ip: ['Not an address', 'In use'] });
  const error: unknown = await http.get('things/', { quiet: true }).catch((caught: unknown) => caught);
  if (!(error instanceof ValidationError)) throw new Error('no validation error');
  expect(error.fields).toEqual({ name: 'Too long', ip: 'Not an address; In use' });
});
