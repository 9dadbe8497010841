import { explain } from '#/lib/http/catalogue';
import { http } from '#/lib/http/client';
import { HttpError } from '#/lib/http/errors';
import type { FieldMap } from '../api';
import type { FormValues } from '../define';
import { fieldProblems } from '../exchange/row-problems';

/**
 * Maximum number of rows in one request. A request is accepted or refused as a whole, and a long request holds locks.
 */
export const BULK_CHUNK = 100;

export interface BulkResult {
  readonly updated: readonly string[];
  /** Why a row was not updated, by id. */
  readonly failed: ReadonlyMap<string, string>;
}

/** Errors of each row, aligned with the sent items; null when the answer has no errors for single rows. */
function errorsByRow(error: unknown, sent: number): readonly unknown[] | null {
  if (!(error instanceof HttpError) || error.status !== 400) return null;
  const { body } = error;
  if (!Array.isArray(body) || body.length !== sent) return null;
  const isAboutRows = body.every((item) => typeof item === 'object' && item !== null && !Array.isArray(item));
  return isAboutRows ? (body as readonly unknown[]) : null;
}

function reasonOf(item: unknown, fields: FieldMap): string {
  const columns = Object.entries(fields).map(([field, { label }]) => ({ field, label }));
  return fieldProblems(item, columns)
    .map(({ text }) => text)
    .join('; ');
}

/**
 * Sets the same values for many objects: PATCH on the list with one item for each object, in chunks. A chunk is saved
 * completely or not at all. If the server names the rejected rows, the others are sent again without them. Any other
 * failure concerns all rows, so it ends the work and is reported for all remaining rows.
 */
export async function updateMany(
  api: string,
  ids: readonly string[],
  values: FormValues,
  fields: FieldMap,
  onProgress: (done: number) => void,
): Promise<BulkResult> {
  const updated: string[] = [];
  const failed = new Map<string, string>();
  let waiting = [...ids];
  while (waiting.length > 0) {
    const chunk = waiting.slice(0, BULK_CHUNK);
    try {
      await http.patch(
        api,
        chunk.map((id) => ({ ...values, id })),
        { quiet: true },
      );
      updated.push(...chunk);
      waiting = waiting.slice(chunk.length);
    } catch (error) {
      const errors = errorsByRow(error, chunk.length);
      const refused = new Map(
        chunk
          .map((id, index) => [id, reasonOf(errors?.[index], fields)] as const)
          .filter(([, reason]) => reason !== ''),
      );
      if (refused.size === 0) for (const id of waiting) refused.set(id, explain(error));
      for (const [id, reason] of refused) failed.set(id, reason);
      waiting = waiting.filter((id) => !refused.has(id));
    }
    onProgress(updated.length + failed.size);
  }
  return { updated, failed };
}
