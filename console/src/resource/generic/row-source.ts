import { http } from '#/lib/http/client';
import type { QueryValues } from '#/lib/http/query-string';
import { fetchPage } from '../api';

/** A table's request for rows. */
export interface RowRequest {
  /** 1-based. */
  readonly page: number;
  /** Rows of a page. */
  readonly size: number;
  /** All rows at once; `page` and `size` are ignored. */
  readonly unpaged?: boolean;
  /** `name`, or `-name` for descending; empty: the server's order. */
  readonly order: string;
  /** Search values and other conditions. */
  readonly conditions: QueryValues;
}

export interface RowPage<Row> {
  readonly rows: readonly Row[];
  /** Number of rows of all pages. */
  readonly total: number;
  /** There are more rows than `total`. */
  readonly isMinimum?: boolean;
  /** Another page follows. Absent where the server does not say. */
  readonly hasNext?: boolean;
  /** Start of the period that a search covered, when it did not cover everything. */
  readonly searchedFrom?: string;
}

/** Where the rows of a table come from. There are two API dialects; the table does not depend on either. */
export interface RowSource<Row> {
  readonly url: string;
  /** Rejects with `HttpError` or `NoAnswerError`; shows no message. */
  readonly fetch: (request: RowRequest, signal?: AbortSignal) => Promise<RowPage<Row>>;
}

interface PageDialect {
  /** Path of the rows in the answer. */
  readonly rowsPath?: string;
  /** Path of the total in the answer. */
  readonly totalPath?: string;
}

/** Page and size that mean “all rows” in the page dialect (specification, sections 7 and 9). */
const ALL_PAGES = -1;
const ALL_SIZE = 999;

/** Value at a dotted path of an answer; undefined when the path does not exist. */
export function valueAt(answer: unknown, path: string): unknown {
  let value = answer;
  for (const step of path.split('.')) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[step];
  }
  return value;
}

function assertPage({ page, size }: RowRequest): void {
  if (!Number.isInteger(page) || page < 1 || !Number.isInteger(size) || size < 1) {
    throw new RangeError(`a page request needs page and size, got ${page} and ${size}`);
  }
}

function splitOrder(order: string): { sort?: string; direction?: 'asc' | 'desc' } {
  if (order === '') return {};
  return order.startsWith('-')
    ? { sort: order.slice(1), direction: 'desc' }
    : { sort: order, direction: 'asc' };
}

/** The page dialect: `page`, `size`, `sort` and `direction`; rows and total are at configurable paths of the answer. */
export function pageSource<Row>(
  url: string,
  { rowsPath = 'payload.content', totalPath = 'payload.totalElements' }: PageDialect = {},
): RowSource<Row> {
  return {
    url,
    async fetch(request, signal) {
      if (!request.unpaged) assertPage(request);
      const answer = await http.get<unknown>(url, {
        query: {
          ...request.conditions,
          page: request.unpaged ? ALL_PAGES : request.page,
          size: request.unpaged ? ALL_SIZE : request.size,
          ...splitOrder(request.order),
        },
        quiet: true,
        signal,
      });
      const rows = valueAt(answer, rowsPath);
      const total = valueAt(answer, totalPath);
      const list = Array.isArray(rows) ? (rows as Row[]) : [];
      return { rows: list, total: typeof total === 'number' ? total : list.length };
    },
  };
}

/** The dialect of our own server: `offset`, `limit` and `order`; `results` and `count`. */
export function offsetSource<Row>(url: string): RowSource<Row> {
  return {
    url,
    async fetch(request, signal) {
      if (!request.unpaged) assertPage(request);
      const place = request.unpaged ? {} : { offset: (request.page - 1) * request.size, limit: request.size };
      const answer = await fetchPage<Row>(
        url,
        { ...request.conditions, ...place, order: request.order },
        signal,
      );
      // Without a limit the server answers with the bare rows.
      if (Array.isArray(answer)) return { rows: answer as readonly Row[], total: answer.length };
      return {
        rows: answer.results,
        total: answer.count,
        hasNext: answer.next !== null,
        ...(answer.count_is_minimum ? { isMinimum: true } : {}),
        ...(answer.searched_from ? { searchedFrom: answer.searched_from } : {}),
      };
    },
  };
}
