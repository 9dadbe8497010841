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
  /** Query from the page of the list, sent when an object is created. */
  readonly query: QueryValues;
  readonly columns: readonly ImportColumn[];
  /** Error of a row that names no object to update. */
  readonly withoutId: string;
}

/** Statuses that would repeat for every further row: too many requests, and an unavailable server. */
const SAME_FOR_ALL = new Set([429, 502, 503, 504]);

/** Either it is unknown whether the row was saved, or every further row would fail as well. */
function concernsTheRun(error: unknown): boolean {
  return (
    error instanceof NoAnswerError ||
    error instanceof SignedOutError ||
    (error instanceof HttpError && SAME_FOR_ALL.has(error.status))
  );
}

export function idOf(value: unknown): string | number | null {
  if (typeof value !== 'object' || value === null || !('id' in value)) return null;
  return typeof value.id === 'string' || typeof value.id === 'number' ? value.id : null;
}

/** Saves one row of an import: creates (POST to the list) or updates (PUT to the object). */
export async function saveRow(target: SaveTarget, row: ImportRow): Promise<Saved> {
  const { api, mode, query, columns } = target;
  const id = row.target?.id ?? (mode === 'update' ? idOf(row.values) : row.savedId);
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
