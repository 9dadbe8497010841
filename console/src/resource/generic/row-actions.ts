import { Eye, FolderPlus, Pencil, Trash2 } from 'lucide-react';
import type { Translate } from '#/lib/i18n';
import type { RowAction } from '#/ui/table';
import type { DialogMode } from './RowDialog';
import type { TreeRow } from './tree-rows';

/** Actions of a row. Those without a function are left out; editing needs a table that can also delete. */
export function rowActions<Row>({
  t,
  onShow,
  onAddBelow,
  onRemove,
}: {
  readonly t: Translate;
  readonly onShow: ((mode: DialogMode) => void) | undefined;
  readonly onAddBelow: (() => void) | undefined;
  readonly onRemove: (() => void) | undefined;
}): readonly RowAction<TreeRow<Row>>[] {
  const actions: RowAction<TreeRow<Row>>[] = [];
  if (onShow && onRemove)
    actions.push({
      id: 'edit',
      label: t('resource:action.update'),
      icon: Pencil,
      run: () => onShow('edit'),
    });
  if (onShow)
    actions.push({ id: 'view', label: t('resource:generic.view'), icon: Eye, run: () => onShow('view') });
  if (onAddBelow)
    actions.push({
      id: 'new-below',
      label: t('resource:generic.new_below'),
      icon: FolderPlus,
      run: onAddBelow,
    });
  if (onRemove)
    actions.push({
      id: 'delete',
      label: t('resource:action.delete'),
      icon: Trash2,
      danger: true,
      run: onRemove,
    });
  return actions;
}
