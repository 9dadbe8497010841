import { useMemo } from 'react';
import type { QueryValues } from '#/lib/http/query-string';
import { offsetSource, type RowRequest } from '../generic/row-source';
import { useRows } from '../generic/use-rows';
import type { ListControls, ListState } from './list-state';

/** What a list in this state asks for. */
export function rowRequest(state: ListState, fixed: QueryValues): RowRequest {
  return {
    page: state.page,
    size: state.size,
    order: state.order,
    conditions: { ...state.filters, ...fixed },
  };
}

/** Beginning of the query keys of what stands beside the rows of a list: a refresh of the list asks for it again, too. */
export function besideList(api: string): readonly string[] {
  return ['beside', api];
}

/** Rows of a list for the present state. */
export function useList<Row>(path: string, controls: ListControls, fixed: QueryValues, enabled = true) {
  const { state, setPage } = controls;
  const source = useMemo(() => offsetSource<Row>(path), [path]);
  return useRows(source, rowRequest(state, fixed), setPage, enabled);
}
