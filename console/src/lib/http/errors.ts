/** Errors of a request, classified by what the person can do about them. */

export type FieldErrors = { readonly [field: string]: string | FieldErrors };

export interface FailureDetails {
  readonly status: number;
  readonly body: unknown;
  readonly requestId: string | null;
  readonly method: string;
  readonly path: string;
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

/** The server's message: `error`, `msg` or `detail`, in this order. */
export function serverMessage(body: unknown): string | null {
  const map = record(body);
  return textOf(map['error']) ?? textOf(map['msg']) ?? textOf(map['detail']);
}

/** The server answered with an error status. */
export class HttpError extends Error {
  readonly status: number;
  readonly body: unknown;
  readonly requestId: string | null;
  readonly method: string;
  readonly path: string;

  constructor(details: FailureDetails) {
    super(serverMessage(details.body) ?? `HTTP ${details.status}`);
    this.name = new.target.name;
    this.status = details.status;
    this.body = details.body;
    this.requestId = details.requestId;
    this.method = details.method;
    this.path = details.path;
  }

  /** Machine-readable reason, e.g. `mfa_verify_required`; null when the server names none. */
  get code(): string | null {
    return textOf(record(this.body)['code']);
  }

  /** The server's message; null when the catalogue's text for the status should be shown. */
  get serverMessage(): string | null {
    return serverMessage(this.body);
  }
}

/** 400 with a map of field name to messages; they belong to the fields of a form. */
export class ValidationError extends HttpError {
  /** Messages by field. Arrays are joined with a semicolon, nested maps stay. */
  get fields(): FieldErrors {
    return fieldErrors(this.body);
  }
}
export class SignedOutError extends HttpError {}
export class ForbiddenError extends HttpError {}
export class NotFoundError extends HttpError {}
export class ConflictError extends HttpError {}

/** No answer arrived: offline, refused, or aborted after 60 s. */
export class NoAnswerError extends Error {
  readonly timedOut: boolean;
  readonly method: string;
  readonly path: string;

  constructor(method: string, path: string, timedOut: boolean, cause: unknown) {
    super(timedOut ? 'timeout' : 'network', { cause });
    this.name = 'NoAnswerError';
    this.timedOut = timedOut;
    this.method = method;
    this.path = path;
  }
}

/** Without the CSRF cookie nobody is signed in, so the write was not sent. */
export class MissingTokenError extends Error {
  constructor() {
    super('No token found in cookie');
    this.name = 'MissingTokenError';
  }
}

function isMessageList(value: unknown): value is unknown[] {
  return Array.isArray(value) && value.every((item) => typeof item !== 'object' || item === null);
}

export function fieldErrors(body: unknown): FieldErrors {
  const errors: Record<string, string | FieldErrors> = {};
  for (const [field, value] of Object.entries(record(body))) {
    if (typeof value === 'string') errors[field] = value;
    else if (isMessageList(value)) errors[field] = value.map(String).join('; ');
    else if (Array.isArray(value)) {
      errors[field] = fieldErrors(Object.fromEntries(value.map((item, index) => [String(index), item])));
    } else if (typeof value === 'object' && value !== null) errors[field] = fieldErrors(value);
  }
  return errors;
}

/** True when the body is a map of field errors rather than `{detail}`, `{error}` or `{msg}`. */
function looksLikeFieldErrors(body: unknown): boolean {
  const map = record(body);
  return Object.keys(map).length > 0 && serverMessage(body) === null;
}

export function errorOf(details: FailureDetails): HttpError {
  switch (details.status) {
    case 400:
      return looksLikeFieldErrors(details.body) ? new ValidationError(details) : new HttpError(details);
    case 401:
      return new SignedOutError(details);
    case 403:
      return new ForbiddenError(details);
    case 404:
      return new NotFoundError(details);
    case 409:
      return new ConflictError(details);
    default:
      return new HttpError(details);
  }
}
