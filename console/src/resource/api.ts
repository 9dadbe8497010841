import { http, type RequestOptions } from '#/lib/http/client';
import type { QueryValues } from '#/lib/http/query-string';

/** One page of a list: `count` is the number of all rows, `results` holds the requested ones. */
export interface Page<Row> {
  readonly count: number;
  readonly next: string | null;
  readonly previous: string | null;
  readonly results: readonly Row[];
  /** There are more rows than `count`: the server stopped counting. */
  readonly count_is_minimum?: boolean;
  /** Start of the period that a search covered, when it did not cover everything. */
  readonly searched_from?: string | null;
}

export interface Choice {
  readonly value: string | number | boolean;
  readonly display_name: string;
}

/** Description of one field in an OPTIONS answer. */
export interface FieldMeta {
  readonly type: string;
  readonly required: boolean;
  readonly read_only: boolean;
  readonly write_only?: boolean;
  readonly label: string;
  readonly help_text?: string;
  readonly default?: unknown;
  readonly min_length?: number;
  readonly max_length?: number;
  readonly min_value?: number;
  readonly max_value?: number;
  readonly choices?: readonly Choice[];
  readonly child?: FieldMeta;
  readonly children?: Readonly<Record<string, FieldMeta>>;
  readonly filter?: boolean;
  readonly order?: boolean;
}

export type FieldMap = Readonly<Record<string, FieldMeta>>;

/** Metadata of an endpoint, by method. Methods that the person may not use are absent. */
export interface Metadata {
  readonly name: string;
  /** Media types in which the list can be read, e.g. `text/csv`. */
  readonly renders?: readonly string[];
  /** Media types that the endpoint accepts. */
  readonly parses?: readonly string[];
  readonly actions: {
    readonly GET?: FieldMap;
    readonly POST?: FieldMap;
    readonly PUT?: FieldMap;
    readonly PATCH?: FieldMap;
  };
}

const FOR_THE_CONSOLE = { draw: 1, display: 1 } as const;

export function fetchMetadata(path: string, query?: QueryValues): Promise<Metadata> {
  return http.options<Metadata>(path, { query: { ...query, ...FOR_THE_CONSOLE }, quiet: true });
}

export function fetchPage<Row>(path: string, query: QueryValues, signal?: AbortSignal): Promise<Page<Row>> {
  return http.get<Page<Row>>(path, { query: { ...query, ...FOR_THE_CONSOLE }, quiet: true, signal });
}

/** Stores ids on the server for a while. Returns a token that refers to them in a query (`spm=`). */
export async function cacheIds(
  ids: readonly (string | number)[],
  options?: Pick<RequestOptions, 'quiet'>,
): Promise<string> {
  const { spm } = await http.post<{ spm: string }>('common/resources/cache/', { resources: ids }, options);
  return spm;
}

/** Deletes all objects in one request. Rejects on failure; the caller shows the error. */
export async function deleteMany(path: string, ids: readonly (string | number)[]): Promise<void> {
  const spm = await cacheIds(ids, { quiet: true });
  await http.delete(path, { query: { spm }, quiet: true });
}
