import { translate } from '../i18n';
import { HttpError, NoAnswerError } from './errors';

/** Catalogue text for a status; statuses without their own text share the general one. */
function textForStatus(status: number): string {
  switch (status) {
    case 400:
      return translate('app:error.bad_request');
    case 401:
      return translate('app:error.signed_out');
    case 403:
      return translate('app:error.forbidden');
    case 404:
      return translate('app:error.not_found');
    case 409:
      return translate('app:error.conflict');
    case 429:
      return translate('app:error.too_many');
    default:
      return translate('app:error.generic');
  }
}

/** Message for any failure: the server's text, else the catalogue's. */
export function explain(error: unknown): string {
  if (error instanceof HttpError) {
    if (error.status === 401) return textForStatus(401);
    if (error.status === 403 && error.code === 'permission_denied') return textForStatus(403);
    return error.serverMessage ?? textForStatus(error.status);
  }
  if (error instanceof NoAnswerError) {
    return translate(error.timedOut ? 'app:error.timeout' : 'app:error.no_connection');
  }
  return translate('app:error.generic');
}

/** Request id to quote to the operator, if the server gave one. */
export function requestIdOf(error: unknown): string | null {
  return error instanceof HttpError ? error.requestId : null;
}
