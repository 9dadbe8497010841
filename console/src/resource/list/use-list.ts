import { useMemo } from 'react';
import type { QueryValues } from '#/lib/http/query-string';
import { offsetSource, type RowRequest } from '../generic/row-source';
import { useRows } from '../generic/use-rows';
import type { ListControls, ListState } from './list-state';

/** The request for rows of a list in this state. */
export function rowRequest(state: ListState, fixed: QueryValues): RowRequest {
  return {
    page: state.page,
    size: state.size,
    order: state.order,
    conditions: { ...state.filters, ...fixed },
  };
}

/** Prefix of the query keys of data shown beside a list; refreshing the list reloads it as well. */
export function besideList(api: string): readonly string[] {
  return ['beside', api];
}

/** Rows of a list for the current state. */
export function useList<Row>(path: string, controls: ListControls, fixed: QueryValues, enabled = true) {
  const { state, setPage } = controls;
  const source = useMemo(() => offsetSource<Row>(path), [path]);
  return useRows(source, rowRequest(state, fixed), setPage, enabled);
}
