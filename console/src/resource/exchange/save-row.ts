import { explain } from '#/lib/http/catalogue';
import { http } from '#/lib/http/client';
import { HttpError, NoAnswerError, SignedOutError } from '#/lib/http/errors';
import type { QueryValues } from '#/lib/http/query-string';
import type { ImportColumn, ImportRow } from './import-row';
import type { Saved } from './import-run';
import { rowProblems } from './row-problems';

export type ImportMode = 'create' | 'update';

export interface SaveTarget {
  /** List path, e.g. `assets/assets/`. */
  readonly api: string;
  readonly mode: ImportMode;
  /** Query of the place, sent with what is created in it. */
  readonly query: QueryValues;
  readonly columns: readonly ImportColumn[];
  /** Problem of a row that names no object to update. */
  readonly withoutId: string;
}

/** Statuses after which every further row would fare the same: too many requests, and a server that is not there. */
const SAME_FOR_ALL = new Set([429, 502, 503, 504]);

/** Nobody knows whether the row was saved, or it certainly was not and the next would not be either. */
function concernsTheRun(error: unknown): boolean {
  return (
    error instanceof NoAnswerError ||
    error instanceof SignedOutError ||
    (error instanceof HttpError && SAME_FOR_ALL.has(error.status))
  );
}

function idOf(value: unknown): string | number | null {
  if (typeof value !== 'object' || value === null || !('id' in value)) return null;
  return typeof value.id === 'string' || typeof value.id === 'number' ? value.id : null;
}

/** Creates (POST to the list) or updates (PUT to the object) one row of an import. */
export async function saveRow(target: SaveTarget, row: ImportRow): Promise<Saved> {
  const { api, mode, query, columns } = target;
  const id = mode === 'update' ? idOf(row.values) : row.savedId;
  if (mode === 'update' && (id === null || id === ''))
    return { outcome: 'error', problems: [{ field: 'id', text: target.withoutId }] };
  try {
    const saved =
      id === null
        ? await http.post<unknown>(api, row.values, { query, quiet: true })
        : await http.put<unknown>(`${api}${encodeURIComponent(id)}/`, row.values, { quiet: true });
    return { outcome: 'ok', id: idOf(saved) ?? id };
  } catch (error) {
    if (concernsTheRun(error)) return { outcome: 'halt', reason: explain(error) };
    return { outcome: 'error', problems: rowProblems(error, columns) };
  }
}
