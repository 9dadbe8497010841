import { useCallback, useMemo } from 'react';
import { useT } from '#/lib/i18n';
import type { RowAction } from '#/ui/table';
import type { ActionTools, Resource, ResourceDefinition } from '../define';
import { useBarsWrites } from '../use-bars-writes';
import { useOnline } from '../use-online';
import { objectActions } from './object-actions';

/** The actions of a row, in order; undefined for a list without actions. `allowed`: the person may write. */
export function useRowActions<Row extends Resource>(
  resource: ResourceDefinition<Row>,
  allowed: boolean,
  tools: ActionTools,
): ((row: Row) => readonly RowAction<Row>[]) | undefined {
  const t = useT();
  const isRoot = useBarsWrites(resource);
  const online = useOnline();
  const offered = useMemo(
    () => objectActions(resource, isRoot, { write: allowed }),
    [resource, isRoot, allowed],
  );
  const actionsOf = useCallback(
    (row: Row) =>
      offered
        .filter((action) => action.isOffered?.(row) ?? true)
        .map((action) => ({
          id: action.id,
          label: t(action.label),
          icon: action.icon,
          danger: action.danger,
          disabledReason: online ? action.disabledReason?.(row) : t('resource:offline.action'),
          run: (target: Row) => void action.run(target, tools),
        })),
    [offered, t, tools, online],
  );
  return offered.length > 0 ? actionsOf : undefined;
}
