import { cleanQuery, type QueryValues } from '#/lib/http/query-string';
import type { Metadata } from '../api';
import type { ExchangeDefinition } from '../define';
import type { FileType } from './import-file';

/** Media type that shows that the server exports and imports csv files. */
export const CSV = 'text/csv';

/** Whether a list can be exported; undefined while the metadata is loading. */
export function offersExport(
  exchange: ExchangeDefinition | undefined,
  metadata: Metadata | undefined,
): boolean | undefined {
  if (exchange?.export === false) return false;
  return metadata && metadata.renders?.includes(CSV) === true;
}

/** State of a list that export and import need. */
export interface ExchangeSource {
  /** List path, e.g. `assets/assets/`. */
  readonly api: string;
  /** Fixed conditions of the page (node, user …); they apply to every scope except the selection. */
  readonly place: QueryValues;
  /** Conditions set by the person: search, fields, date range. */
  readonly filters: QueryValues;
  readonly order: string;
  /** Selected rows: name by id. */
  readonly chosen: ReadonlyMap<string, string>;
  /** Number of rows of the list; absent while unknown. */
  readonly count: number | undefined;
}

export type ExportScope = 'all' | 'selected' | 'filtered';
export const EXPORT_SCOPES: readonly ExportScope[] = ['all', 'selected', 'filtered'];

/** Maximum number of rows in one file (the server's limit). */
export const EXPORT_MAX_ROWS = 10_000;

function conditionsOf(source: ExchangeSource): number {
  return Object.keys(cleanQuery(source.filters)).length;
}

/** Scopes that are possible now: all without conditions, filtered with conditions, selected with selected rows. */
export function isOffered(scope: ExportScope, source: ExchangeSource): boolean {
  switch (scope) {
    case 'all':
      return conditionsOf(source) === 0;
    case 'filtered':
      return conditionsOf(source) > 0;
    case 'selected':
      return source.chosen.size > 0;
  }
}

/** Number of rows that a scope exports, if known. The list's count belongs to the scope that it shows. */
export function rowsOfScope(scope: ExportScope, source: ExchangeSource): number | undefined {
  if (scope === 'selected') return source.chosen.size;
  return isOffered(scope, source) ? source.count : undefined;
}

/** The default scope: the selection if rows are selected, else what the list shows. */
export function firstScope(source: ExchangeSource): ExportScope {
  return source.chosen.size > 0 ? 'selected' : isOffered('filtered', source) ? 'filtered' : 'all';
}

/**
 * Query of an export. `spm` refers to the selected rows and replaces all conditions, because the rows may have been
 * selected under other conditions.
 */
export function exportQuery(
  scope: ExportScope,
  format: FileType,
  source: ExchangeSource,
  spm?: string,
): QueryValues {
  const order = source.order;
  if (scope === 'selected') return { spm, order, format };
  // The server refuses more rows than a file holds. The dialog shows the limit, and the first rows are requested.
  const rows = rowsOfScope(scope, source);
  const limit = rows !== undefined && rows > EXPORT_MAX_ROWS ? EXPORT_MAX_ROWS : undefined;
  return { ...(scope === 'filtered' ? source.filters : {}), ...source.place, order, format, limit };
}

/** Query of a template: one sample row, or the selected rows to be updated. */
export function templateQuery(
  template: 'import' | 'update',
  format: FileType,
  source: ExchangeSource,
  spm?: string,
): QueryValues {
  if (template === 'update' && spm !== undefined) return { format, template, spm };
  return { ...source.place, format, template, limit: 1 };
}
