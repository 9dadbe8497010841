import { openRequest } from '#/lib/http/client';
import { errorOf, HttpError, NoAnswerError } from '#/lib/http/errors';
import { translate } from '#/lib/i18n';
import { readCookie } from '#/lib/storage';
import type {
  BeginUpload,
  Deleted,
  EndOfList,
  Entry,
  Name,
  Place,
  Problem,
  TextFile,
  UploadEnd,
  UploadState,
} from './contract';
import { readLines } from './read-lines';

type Query = readonly (readonly [string, string])[];

interface Sent {
  readonly query?: Query;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal;
}

export interface ListListener {
  readonly place: (place: Place) => void;
  readonly entries: (entries: readonly Entry[]) => void;
}

/** The code of a refusal by the proxy; null for other failures. */
export function problemCode(error: unknown): string | null {
  return error instanceof HttpError ? error.code : null;
}

function failureOf(problem: Problem, path: string): HttpError {
  return errorOf({ status: 422, body: problem, requestId: null, method: 'GET', path });
}

/** The HTTP operations of one session; failures are `HttpError` with the words of the proxy, or `NoAnswerError`. */
export class FilesApi {
  /** `base` ends with a slash: `/files/{terminal id}/{session id}/`. */
  constructor(readonly base: string) {}

  url(operation: string, query: Query = []): string {
    const text = new URLSearchParams(query.map(([name, value]) => [name, value])).toString();
    return `${this.base}${operation}${text === '' ? '' : `?${text}`}`;
  }

  contentUrl(path: string): string {
    return this.url('content', [['path', path]]);
  }

  pictureUrl(path: string): string {
    return this.url('picture', [['path', path]]);
  }

  archiveUrl(paths: readonly string[], format: 'zip' | 'tar'): string {
    return this.url('archive', [['format', format], ...paths.map((path) => ['path', path] as const)]);
  }

  /**
   * Reads a folder while the host lists it; null stands for the folder in which the session begins. Returns why the list
   * is not whole, or null.
   */
  async list(path: string | null, listener: ListListener, signal: AbortSignal): Promise<string | null> {
    let end: EndOfList | null = null;
    const query: Query = path === null ? [] : [['path', path]];
    await this.#lines('GET', 'list', { query, signal }, (lines) => {
      const entries: Entry[] = [];
      for (const line of lines) {
        if ('name' in line) entries.push(line as Entry);
        else if ('path' in line) listener.place(line as Place);
        else if ('count' in line) end = line as EndOfList;
      }
      if (entries.length > 0) listener.entries(entries);
    });
    return reasonOf(end);
  }

  makeFolder(path: string, keep = false): Promise<unknown> {
    return this.#json('POST', 'folder', { body: { path, keep } });
  }

  move(path: string, to: string, replace = false): Promise<unknown> {
    return this.#json('POST', 'move', { body: { path, to, replace } });
  }

  name(text: string): Promise<Name> {
    return this.#json('POST', 'name', { body: { text } });
  }

  /** Deletes folders with everything in them. Fails if anything was left. */
  async remove(paths: readonly string[], onRemoved: (soFar: number) => void): Promise<void> {
    let end: EndOfList | null = null;
    await this.#lines('POST', 'delete', { body: { paths } }, (lines) => {
      for (const line of lines) {
        if ('so_far' in line) onRemoved((line as Deleted).so_far);
        else if ('count' in line) end = line as EndOfList;
      }
    });
    const reason = reasonOf(end);
    if (reason !== null) throw failureOf({ code: 'failed', detail: reason }, this.base);
  }

  changeMode(path: string, mode: number): Promise<unknown> {
    return this.#json('POST', 'mode', { body: { path, mode } });
  }

  text(path: string): Promise<TextFile> {
    return this.#json('GET', 'text', { query: [['path', path]] });
  }

  saveText(path: string, text: string, etag: string): Promise<unknown> {
    const headers = { 'If-Match': etag, 'Content-Type': 'text/plain; charset=utf-8' };
    return this.#json('PUT', 'text', { query: [['path', path]], body: new Blob([text]), headers });
  }

  beginUpload(body: BeginUpload, signal: AbortSignal): Promise<UploadState> {
    return this.#json('POST', 'upload', { body, signal });
  }

  /** `XMLHttpRequest`, because `fetch` does not tell how much of a body has left. */
  putSlice(
    id: string,
    offset: number,
    slice: Blob,
    onSent: (bytes: number) => void,
    signal: AbortSignal,
  ): Promise<UploadState> {
    const path = this.url(`upload/${id}`, [['offset', String(offset)]]);
    return new Promise((resolve, reject) => {
      const request = new XMLHttpRequest();
      const lost = (): void => reject(new NoAnswerError('PUT', path, false, null));
      request.open('PUT', path);
      request.setRequestHeader('X-CSRFToken', readCookie('csrftoken') ?? '');
      request.setRequestHeader('Content-Type', 'application/octet-stream');
      request.upload.addEventListener('progress', (event) => onSent(event.loaded));
      request.addEventListener('error', lost);
      request.addEventListener('abort', lost);
      request.addEventListener('load', () => {
        const body = parsed(request.responseText);
        if (request.status < 300) resolve(body as UploadState);
        else reject(errorOf({ status: request.status, body, requestId: null, method: 'PUT', path }));
      });
      signal.addEventListener('abort', () => request.abort(), { once: true });
      if (signal.aborted) lost();
      else request.send(slice);
    });
  }

  finishUpload(id: string, replace: boolean, signal: AbortSignal): Promise<UploadEnd> {
    return this.#json('POST', `upload/${id}/finish`, { body: { replace }, signal });
  }

  dropUpload(id: string): Promise<unknown> {
    return this.#json('DELETE', `upload/${id}`, {});
  }

  #json<T>(method: string, operation: string, sent: Sent): Promise<T> {
    return this.#open(method, operation, sent, async (response) => parsed(await response.text()) as T);
  }

  #lines(
    method: string,
    operation: string,
    sent: Sent,
    onLines: (lines: readonly object[]) => void,
  ): Promise<void> {
    return this.#open(method, operation, sent, (response) => readLines(response.body, onLines));
  }

  #open<T>(
    method: string,
    operation: string,
    { query, body, headers, signal }: Sent,
    read: (response: Response) => Promise<T>,
  ): Promise<T> {
    const options = { quiet: true, headers, signal, timeoutMs: null };
    return openRequest(method, this.url(operation, query), body, options, read);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

function reasonOf(end: EndOfList | null): string | null {
  if (end === null) return translate('files:list.cut_off');
  return end.problem?.detail ?? null;
}
