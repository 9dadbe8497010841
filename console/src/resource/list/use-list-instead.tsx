import type { ReactNode } from 'react';
import { useT } from '#/lib/i18n';
import type { Resource } from '../define';
import { conditionsOf, EmptyList, FailedList, NoMatchList, OfflineList } from './ListPlaceholder';
import type { ListView } from './use-list-view';

/** Shown instead of rows: failed, offline, no match or empty; undefined while there are rows or they are loading. */
export function useListInstead<Row extends Resource>(
  view: ListView<Row>,
  emptyActions: ReactNode,
): ReactNode {
  const t = useT();
  const { controls, tools, error, isOffline } = view;
  const { noun } = view.resource;
  if (error) return <FailedList error={error} noun={noun} online={!isOffline} onRetry={tools.refresh} />;
  if (isOffline) return <OfflineList noun={noun} onRetry={tools.refresh} />;
  if (view.rows?.length !== 0) return undefined;
  const conditions = conditionsOf(controls.state.filters, view.searchFields, t);
  if (conditions.length === 0) return <EmptyList noun={noun} actions={emptyActions} />;
  return (
    <NoMatchList
      noun={noun}
      conditions={conditions}
      onClear={() => controls.setFilters({})}
      onWiden={(words) => controls.setFilters({ search: words })}
    />
  );
}
