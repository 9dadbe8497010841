import { Copy, Pencil, Trash2 } from 'lucide-react';
import { http } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import { confirm } from '#/ui/confirm';
import { toast } from '#/ui/toast';
import type { ObjectAction, Resource, ResourceDefinition } from '../define';
import { objectPath } from '../routes';

/** Order of row actions (specification, section 6). */
const ORDER = { update: 10, delete: 20, clone: 30 } as const;

/** Why this row cannot be deleted; undefined when it can. */
export function whyKept<Row extends Resource>(
  { can = {} }: ResourceDefinition<Row>,
  row: Row,
): string | undefined {
  if (can.delete?.(row)) return undefined;
  return can.kept?.(row) ?? translate('resource:not_allowed');
}

/** Why this row cannot be changed; undefined when it can. */
export function whyFixed<Row extends Resource>(
  { can = {} }: ResourceDefinition<Row>,
  row: Row,
): string | undefined {
  if (can.update?.(row) ?? true) return undefined;
  return can.fixed?.(row) ?? translate('resource:not_allowed');
}

/** Asks, deletes and reports. Resolves to true when the object is deleted. */
export function deleteObject<Row extends Resource>(
  resource: ResourceDefinition<Row>,
  row: Row,
): Promise<boolean> {
  const name = resource.nameOf(row);
  return confirm({
    title: translate('resource:delete.question', { noun: translate(resource.noun.one), name }),
    effect: translate('resource:delete.effect'),
    extra: resource.deleteEffect?.([String(row.id)]),
    confirmLabel: translate('resource:delete.confirm'),
    danger: true,
    failed: (reason) => translate('resource:delete.failed', { reason }),
    run: async () => {
      await http.delete(`${resource.api}${row.id}/`, { quiet: true });
      toast({ tone: 'ok', text: translate('resource:delete.done', { name }) });
      await resource.deleted?.(row);
    },
  });
}

/** Update, delete and clone as far as they are permitted, with the resource's own actions, in the specified order. */
export function objectActions<Row extends Resource>(
  resource: ResourceDefinition<Row>,
  isRoot: boolean,
  isAllowed: { readonly write: boolean },
): readonly ObjectAction<Row>[] {
  const { can = {}, routes, form } = resource;
  const notInRoot = () => (isRoot ? translate('resource:not_in_root') : undefined);
  const actions: ObjectAction<Row>[] = [...(resource.list.rowActions ?? [])];
  if (isAllowed.write && form && routes.paths.update !== undefined) {
    actions.push({
      id: 'update',
      label: 'resource:action.update',
      icon: Pencil,
      order: ORDER.update,
      disabledReason: (row) => notInRoot() ?? whyFixed(resource, row),
      run: (row, tools) => tools.navigate(objectPath(routes.paths.update, row.id)),
    });
  }
  if (isAllowed.write && can.delete !== undefined && (can.mayDelete?.() ?? true)) {
    actions.push({
      id: 'delete',
      label: 'resource:action.delete',
      icon: Trash2,
      order: ORDER.delete,
      danger: true,
      disabledReason: (row) => whyKept(resource, row),
      run: async (row, tools) => {
        if (!(await deleteObject(resource, row))) return;
        tools.gone?.(String(row.id));
        tools.refresh();
      },
    });
  }
  if (isAllowed.write && form && can.clone !== false && routes.paths.create !== undefined) {
    actions.push({
      id: 'clone',
      label: 'resource:action.clone',
      icon: Copy,
      order: ORDER.clone,
      disabledReason: notInRoot,
      run: (row, tools) => tools.navigate(`${routes.paths.create}?clone_from=${row.id}`),
    });
  }
  return actions.sort((a, b) => a.order - b.order);
}
