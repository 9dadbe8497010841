import type { QueryValues } from '#/lib/http/query-string';
import { queryClient } from '#/lib/query';
import type { Resource, ResourceDefinition } from '../define';
import { offsetSource } from '../generic/row-source';
import { rowsQuery } from '../generic/use-rows';
import { metadataQuery } from '../use-metadata';
import { rangeQuery } from './DateRange';
import { stateOf } from './list-state';
import { rowRequest } from './use-list';

/**
 * Asks for metadata and rows of a list that is about to be drawn, so that they are on their way while it is. The questions are
 * those that the list itself asks: it finds them under way or answered. Failures are the list's to tell. `query` as in `ResourceList`.
 */
export async function prepareList<Row extends Resource>(
  { api, list }: ResourceDefinition<Row>,
  address: Readonly<Record<string, string>>,
  query: QueryValues = {},
): Promise<void> {
  const conditions = { ...query, ...rangeQuery(list.dateRangeDays, address) };
  await Promise.all([
    queryClient.prefetchQuery(metadataQuery(api, query)),
    queryClient.prefetchQuery(
      rowsQuery(offsetSource<Row>(api), rowRequest(stateOf(address, list), conditions)),
    ),
  ]);
}
