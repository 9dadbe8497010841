import { http } from '#/lib/http/client';

type Values = Readonly<Record<string, unknown>>;

/** How rows are written. All functions reject with `HttpError` or `NoAnswerError` and show no message. */
export interface RowWrites<Row> {
  /** `parent`: in trees, the row below which the new row is created. */
  readonly create: (values: Values, parent: Row | null) => Promise<unknown>;
  readonly update: (row: Row, values: Values) => Promise<unknown>;
  readonly remove: (ids: readonly string[]) => Promise<unknown>;
}

export interface WriteOptions {
  /** Sent with every new row. */
  readonly extraBody?: Values;
  /** Field that names the parent of a new row in a tree. */
  readonly parentKey?: string;
  readonly idKey?: string;
}

/**
 * Default writes of the generic table: POST on the url, DELETE on url/{ids}/ with the ids joined by commas. The default
 * update sends no request; a table with editing provides its own.
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
