import { http } from '#/lib/http/client';

type Values = Readonly<Record<string, unknown>>;

/** How rows are written. Each rejects with `HttpError` or `NoAnswerError`; nothing is told to the person. */
export interface RowWrites<Row> {
  /** `parent`: the row below which the new one stands, in trees. */
  readonly create: (values: Values, parent: Row | null) => Promise<unknown>;
  readonly update: (row: Row, values: Values) => Promise<unknown>;
  readonly remove: (ids: readonly string[]) => Promise<unknown>;
}

export interface WriteOptions {
  /** Goes with every new row. */
  readonly extraBody?: Values;
  /** Field that names the parent of a new row in a tree. */
  readonly parentKey?: string;
  readonly idKey?: string;
}

/**
 * The default writes of the generic table: POST on the url, DELETE on url/{ids}/ with the ids joined by commas. There is no
 * default update: it issues no call, and a table that updates says how.
 */
export function defaultWrites<Row extends object>(
  url: string,
  { extraBody = {}, parentKey = 'parentId', idKey = 'id' }: WriteOptions = {},
): RowWrites<Row> {
  const root = url.replace(/\/$/, '');
  return {
    create: (values, parent) =>
      http.post(
        url,
        { ...values, ...extraBody, ...(parent ? { [parentKey]: (parent as Values)[idKey] } : {}) },
        { quiet: true },
      ),
    update: () => Promise.resolve(),
    remove: (ids) => http.delete(`${root}/${ids.map(encodeURIComponent).join(',')}/`, { quiet: true }),
  };
}
