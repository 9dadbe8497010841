import { useMemo } from 'react';
import type { QueryValues } from '#/lib/http/query-string';
import { offsetSource } from '../generic/row-source';
import { useRows } from '../generic/use-rows';
import type { ListControls } from './list-state';

/** Rows of a list for the present state. */
export function useList<Row>(path: string, controls: ListControls, fixed: QueryValues, enabled = true) {
  const { state, setPage } = controls;
  const source = useMemo(() => offsetSource<Row>(path), [path]);
  const request = {
    page: state.page,
    size: state.size,
    order: state.order,
    conditions: { ...state.filters, ...fixed },
  };
  return useRows(source, request, setPage, enabled);
}
