import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import type { QueryValues } from '#/lib/http/query-string';
import { currentSession } from '#/lib/session';
import { fetchPage } from '../api';
import { type ListControls, listQuery } from './list-state';

/** Rows of a list for the present state. Old rows stay while the next ones load. */
export function useList<Row>(path: string, controls: ListControls, fixed: QueryValues, enabled = true) {
  const { state, setPage } = controls;
  const query = { ...listQuery(state), ...fixed };
  const result = useQuery({
    queryKey: ['list', path, query, currentSession()?.organization.id],
    queryFn: ({ signal }) => fetchPage<Row>(path, query, signal),
    placeholderData: keepPreviousData,
    enabled,
  });
  const { data, isPlaceholderData } = result;
  const emptyBeyondEnd =
    data !== undefined && !isPlaceholderData && data.results.length === 0 && state.page > 1;
  // After the last row of the last page is deleted, go back a page (never below 1).
  useEffect(() => {
    if (emptyBeyondEnd)
      setPage(Math.max(1, Math.min(state.page - 1, Math.ceil((data?.count ?? 0) / state.size))));
    // oxlint-disable-next-line react/exhaustive-deps -- the setter is made anew for each render and always does the same
  }, [emptyBeyondEnd]);
  return result;
}
