import type { QueryValues } from '#/lib/http/query-string';
import { fetchPage } from '../api';
import type { Resource } from '../define';

/** More rows than this are not chosen at once: whoever means so many narrows the search down first. */
export const SELECT_ALL_MAX = 10_000;
const AT_A_TIME = 1000;

/** Ids of all rows that meet the conditions, in blocks of 1,000; at most `SELECT_ALL_MAX`. */
export async function fetchAllIds(path: string, conditions: QueryValues): Promise<readonly string[]> {
  const ids: string[] = [];
  let count = 0;
  do {
    const page = await fetchPage<Resource>(path, {
      ...conditions,
      fields: 'id',
      offset: ids.length,
      limit: AT_A_TIME,
    });
    count = Math.min(page.count, SELECT_ALL_MAX);
    if (page.results.length === 0) break;
    for (const row of page.results) ids.push(String(row.id));
  } while (ids.length < count);
  return ids.slice(0, SELECT_ALL_MAX);
}
