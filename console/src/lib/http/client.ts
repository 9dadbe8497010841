import { noteServerTime } from '../server-clock';
import { readCookie } from '../storage';
import { browserZone } from '../time';
import { leavingSignal, noteSignedOut } from './asking';
import { errorOf, HttpError, MissingTokenError, NoAnswerError, SignedOutError } from './errors';
import { type QueryValues, queryString } from './query-string';

export const TIMEOUT_MS = 60_000;
const API_ROOT = '/api/v1/';
const PROFILE = 'users/profile/';

export interface RequestOptions {
  readonly query?: QueryValues;
  /** The caller reports failures: no toast. A lost session is reported all the same. */
  readonly quiet?: boolean;
  readonly signal?: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
  /** How long the whole answer may take; null: without limit. Default: `TIMEOUT_MS`. */
  readonly timeoutMs?: number | null;
}

interface Listeners {
  /** A request that is not quiet has failed. */
  failed: (error: HttpError | NoAnswerError) => void;
  /** 401 on any request except the profile, or a write without the CSRF cookie: the session has ended. */
  signedOut: (error: SignedOutError | MissingTokenError) => void;
  /** The organization that every request names was deleted, or is closed to the person. */
  organizationLost: (error: HttpError) => void;
  /** Called for every answer. `path` is relative to the API root. */
  answered: (path: string) => void;
}

const listeners: Listeners = { failed() {}, signedOut() {}, organizationLost() {}, answered() {} };

/** The shell decides how failures are shown; the client only reports them. */
export function onHttp(handlers: Partial<Listeners>): void {
  Object.assign(listeners, handlers);
}

let organizationId: string | null = null;

/** Sets the organization that every request names from now on (header X-JMS-ORG). */
export function setRequestOrganization(id: string | null): void {
  organizationId = id;
}

/** Absolute path of an API path, for downloads and links. */
export function apiUrl(path: string, query?: QueryValues): string {
  const full = path.startsWith('/') ? path : API_ROOT + path;
  return full + queryString(query);
}

function headersFor(body: unknown, extra: RequestOptions['headers']): Headers {
  const headers = new Headers({ Accept: 'application/json', 'X-TZ': browserZone() });
  const token = readCookie('csrftoken');
  if (token !== null) headers.set('X-CSRFToken', token);
  if (organizationId !== null) headers.set('X-JMS-ORG', organizationId);
  if (body !== undefined && !(body instanceof FormData)) headers.set('Content-Type', 'application/json');
  // The server then rejects unknown keys. They would be a bug of the console and otherwise be ignored silently.
  if (body !== undefined) headers.set('Prefer', 'handling=strict');
  for (const [name, value] of Object.entries(extra ?? {})) headers.set(name, value);
  return headers;
}

function encode(body: unknown): BodyInit | null {
  if (body === undefined) return null;
  if (body instanceof FormData || body instanceof Blob) return body;
  return JSON.stringify(body);
}

async function readBody(response: Response): Promise<unknown> {
  const text = await response.text();
  if (text === '') return null;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return text;
  }
}

const LOST_ORGANIZATION: ReadonlySet<string | null> = new Set([
  'organization_unknown',
  'organization_closed',
]);

/** Whether the refusal concerns the organization of all requests, not one that only this request names. */
function isOrganizationLost(error: HttpError, options: RequestOptions): boolean {
  return organizationId !== null && options.query?.['oid'] === undefined && LOST_ORGANIZATION.has(error.code);
}

/**
 * A lost session or organization concerns the whole page, so even quiet requests report it. The guard handles the
 * profile request itself.
 */
function report(error: HttpError | NoAnswerError, options: RequestOptions): void {
  if (options.signal?.aborted) return;
  if (error instanceof SignedOutError) {
    if (error.path !== PROFILE) listeners.signedOut(error);
  } else if (error instanceof HttpError && isOrganizationLost(error, options))
    listeners.organizationLost(error);
  else if (!options.quiet) listeners.failed(error);
}

function noAnswer(
  method: string,
  path: string,
  timedOut: boolean,
  cause: unknown,
  options: RequestOptions,
): NoAnswerError {
  const error = new NoAnswerError(method, path, timedOut, cause);
  report(error, options);
  return error;
}

const READING: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * In a session, a write without the CSRF cookie would be refused, so it is not sent. Before a session (sign-in) writes
 * are allowed.
 */
function requireToken(method: string): void {
  if (READING.has(method) || organizationId === null || readCookie('csrftoken') !== null) return;
  const error = new MissingTokenError();
  listeners.signedOut(error);
  throw error;
}

/** Never settles. For requests while the page is being left: nobody is there to handle an answer or a failure. */
function noAnswerEver(): Promise<never> {
  return new Promise(() => {});
}

/** A successful response, read by `read`. Any other outcome throws, as described at `request`. */
export async function openRequest<T>(
  method: string,
  path: string,
  body: unknown,
  options: RequestOptions,
  read: (response: Response) => Promise<T>,
): Promise<T> {
  const left = leavingSignal();
  if (left.aborted) return noAnswerEver();
  requireToken(method);
  const { timeoutMs = TIMEOUT_MS } = options;
  const timeout = timeoutMs === null ? new AbortController().signal : AbortSignal.timeout(timeoutMs);
  let response: Response;
  let answer: unknown;
  try {
    response = await fetch(apiUrl(path, options.query), {
      method,
      headers: headersFor(body, options.headers),
      body: encode(body),
      credentials: 'same-origin',
      signal: AbortSignal.any([timeout, left, ...(options.signal ? [options.signal] : [])]),
    });
    noteServerTime(response);
    // The connection can also break while the body is being read.
    if (response.ok) {
      const value = await read(response);
      noteSignedOut(false);
      listeners.answered(path);
      return value;
    }
    answer = await readBody(response);
  } catch (cause) {
    if (left.aborted) return noAnswerEver();
    throw noAnswer(method, path, timeout.aborted, cause, options);
  }
  noteSignedOut(response.status === 401);
  listeners.answered(path);
  const error = errorOf({
    status: response.status,
    body: answer,
    requestId: response.headers.get('X-Request-ID'),
    method,
    path,
  });
  report(error, options);
  throw error;
}

/**
 * Sends one request to the API. Paths are relative to `/api/v1/` unless they start with a slash. No retries. Throws
 * `HttpError` (by status) or `NoAnswerError`; unless `quiet`, the shell has already shown the error.
 */
export function request<T>(
  method: string,
  path: string,
  body?: unknown,
  options: RequestOptions = {},
): Promise<T> {
  return openRequest(method, path, body, options, async (response) => (await readBody(response)) as T);
}

export const http = {
  get: <T>(path: string, options?: RequestOptions) => request<T>('GET', path, undefined, options),
  options: <T>(path: string, options?: RequestOptions) => request<T>('OPTIONS', path, undefined, options),
  post: <T>(path: string, body?: unknown, options?: RequestOptions) =>
    request<T>('POST', path, body, options),
  put: <T>(path: string, body: unknown, options?: RequestOptions) => request<T>('PUT', path, body, options),
  patch: <T>(path: string, body: unknown, options?: RequestOptions) =>
    request<T>('PATCH', path, body, options),
  delete: (path: string, options?: RequestOptions) => request<null>('DELETE', path, undefined, options),
};
