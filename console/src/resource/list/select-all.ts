import type { Dispatch, SetStateAction } from 'react';
import { explain } from '#/lib/http/catalogue';
import type { QueryValues } from '#/lib/http/query-string';
import type { Translate } from '#/lib/i18n';
import { toast } from '#/ui/toast';
import { fetchPage } from '../api';
import type { Resource } from '../define';

/** More rows than this cannot be selected at once; the search has to be narrowed down first. */
export const SELECT_ALL_MAX = 10_000;
const AT_A_TIME = 1000;

/** Id → name; the name is empty for rows that were selected without being displayed. */
type Chosen = ReadonlyMap<string, string>;

/**
 * Ids of all matching rows, in blocks of 1,000; undefined with more than `SELECT_ALL_MAX` rows. Follows `next`, not
 * `count`, because `count` is a minimum in large lists.
 */
async function fetchAllIds(path: string, conditions: QueryValues): Promise<readonly string[] | undefined> {
  const ids: string[] = [];
  let isLast = false;
  while (!isLast) {
    if (ids.length >= SELECT_ALL_MAX) return undefined;
    const page = await fetchPage<Resource>(path, {
      ...conditions,
      fields: 'id',
      offset: ids.length,
      limit: AT_A_TIME,
    });
    for (const row of page.results) ids.push(String(row.id));
    isLast = typeof page.next !== 'string' || page.results.length === 0;
  }
  return ids;
}

/** Selects all matching rows, or shows why that is not possible. */
export async function chooseAll(
  path: string,
  conditions: QueryValues,
  { t, noun, setChosen }: { t: Translate; noun: string; setChosen: Dispatch<SetStateAction<Chosen>> },
): Promise<void> {
  try {
    const ids = await fetchAllIds(path, conditions);
    if (ids === undefined) toast({ tone: 'error', text: t('resource:too_many', { count: SELECT_ALL_MAX }) });
    else setChosen((old) => new Map(ids.map((id) => [id, old.get(id) ?? ''])));
  } catch (failure) {
    toast({ tone: 'error', text: t('resource:failed', { noun }), detail: explain(failure) });
  }
}
