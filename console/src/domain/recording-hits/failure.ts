import { explain } from '#/lib/http/catalogue';
import { ValidationError } from '#/lib/http/errors';
import { errorText } from '#/resource/form/values';

/** Why a search failed: what the server says about a condition, or the general message. */
export function searchFailure(error: unknown): string {
  return error instanceof ValidationError ? errorText(error.fields) : explain(error);
}
