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
 * Prefetches metadata and rows of a list before it is rendered. The query keys equal those of the list, which then
 * finds the requests pending or answered. Failures are reported by the list. `query` as in `ResourceList`.
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
