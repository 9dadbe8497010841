import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { currentSession } from '#/lib/session';
import type { RowRequest, RowSource } from './row-source';

/** The last page that has rows, at most `page` and never below 1. */
export function lastFilledPage(total: number, size: number, page: number): number {
  return Math.max(1, Math.min(page, Math.ceil(total / size)));
}

/** Query options for the rows of one request, for `useRows` and for prefetching. */
export function rowsQuery<Row>(source: RowSource<Row>, request: RowRequest) {
  return queryOptions({
    queryKey: ['list', source.url, request, currentSession()?.organization.id],
    queryFn: ({ signal }) => source.fetch(request, signal),
  });
}

/**
 * Rows of a table for the current request. Old rows stay visible while the next rows load. When the last row of the
 * last page was deleted, `onPage` is called with the page before it.
 */
export function useRows<Row>(
  source: RowSource<Row>,
  request: RowRequest,
  onPage: (page: number) => void,
  enabled = true,
) {
  const result = useQuery({ ...rowsQuery(source, request), placeholderData: keepPreviousData, enabled });
  const { data, isPlaceholderData } = result;
  const isBeyondEnd =
    data !== undefined &&
    !isPlaceholderData &&
    !request.unpaged &&
    data.rows.length === 0 &&
    request.page > 1;
  useEffect(() => {
    if (isBeyondEnd) onPage(lastFilledPage(data?.total ?? 0, request.size, request.page - 1));
    // oxlint-disable-next-line react/exhaustive-deps -- the setter is recreated in each render but always does the same
  }, [isBeyondEnd, request.page]);
  return result;
}
