import { cleanQuery, type QueryValues } from '#/lib/http/query-string';
import type { Metadata } from '../api';
import type { ExchangeDefinition } from '../define';
import type { FileType } from './import-file';

/** Media type by which a server tells that it exchanges files. */
export const CSV = 'text/csv';

/** Whether a list can be exported; undefined while the metadata has not come. */
export function offersExport(
  exchange: ExchangeDefinition | undefined,
  metadata: Metadata | undefined,
): boolean | undefined {
  if (exchange?.export === false) return false;
  return metadata && metadata.renders?.includes(CSV) === true;
}

/** What a list shows now: all that export and import need to know about it. */
export interface ExchangeSource {
  /** List path, e.g. `assets/assets/`. */
  readonly api: string;
  /** Conditions of the place (node, user …), which hold for every scope but the selection. */
  readonly place: QueryValues;
  /** Conditions of the person: search, fields, date range. */
  readonly filters: QueryValues;
  readonly order: string;
  /** Selected rows: name by id. */
  readonly chosen: ReadonlyMap<string, string>;
  /** Rows that the list has in all; absent while unknown. */
  readonly count: number | undefined;
}

export type ExportScope = 'all' | 'selected' | 'filtered';
export const EXPORT_SCOPES: readonly ExportScope[] = ['all', 'selected', 'filtered'];

/** Rows that one file holds at most (the server's limit). */
export const EXPORT_MAX_ROWS = 10_000;

function conditionsOf(source: ExchangeSource): number {
  return Object.keys(cleanQuery(source.filters)).length;
}

/** Scopes that make sense now: all without conditions, filtered with some, selected with selected rows. */
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

/** Rows that a scope exports, if known. The list's count belongs to the one that it shows. */
export function rowsOfScope(scope: ExportScope, source: ExchangeSource): number | undefined {
  if (scope === 'selected') return source.chosen.size;
  return isOffered(scope, source) ? source.count : undefined;
}

/** The selection if there is one, else what the list shows. */
export function firstScope(source: ExchangeSource): ExportScope {
  return source.chosen.size > 0 ? 'selected' : isOffered('filtered', source) ? 'filtered' : 'all';
}

/**
 * Query of an export. `spm` stands for the selected rows, whatever the list shows by now: they may have been selected under
 * other conditions.
 */
export function exportQuery(
  scope: ExportScope,
  format: FileType,
  source: ExchangeSource,
  spm?: string,
): QueryValues {
  const order = source.order;
  if (scope === 'selected') return { spm, order, format };
  // The server refuses more rows than a file holds; whoever was told so and goes on gets the first of them.
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
