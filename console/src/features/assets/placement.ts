import { create } from 'zustand';
import { http } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import { queryClient } from '#/lib/query';
import { placementEffect } from '#/domain/access-preview/effects';
import type { BulkTools } from '#/resource/define';
import { confirm } from '#/ui/confirm';
import { toast } from '#/ui/toast';

/** Assets to put into a node. The dialog asks for the missing values. */
export interface Placement {
  readonly way: 'add' | 'replace';
  readonly node?: { readonly id: string; readonly label: string };
  readonly assets?: readonly string[];
  readonly done: () => void;
}

export const usePlacement = create<{ readonly asked: Placement | null }>(() => ({ asked: null }));

export function askPlacement(placement: Placement): void {
  usePlacement.setState({ asked: placement });
}

/** Puts assets into a node; `replace` removes them from all other nodes. */
export async function place(way: Placement['way'], node: string, assets: readonly string[]): Promise<void> {
  await http.put(`assets/nodes/${node}/assets/${way}/`, { assets }, { quiet: true });
  toast({ tone: 'ok', text: translate('assets:place.done', { count: assets.length }) });
  await queryClient.invalidateQueries({ queryKey: ['tree'] });
}

export function moveToNode(ids: readonly string[], tools: BulkTools): void {
  askPlacement({
    way: 'replace',
    assets: ids,
    done: () => {
      tools.clear();
      tools.refresh();
    },
  });
}

/** Removes the chosen assets from the node that the list shows. Assets without another node go to the root node. */
export async function removeFromNode(ids: readonly string[], tools: BulkTools): Promise<void> {
  const node = String(tools.query['node_id']);
  const isRemoved = await confirm({
    title: translate('assets:remove.question', { count: ids.length }),
    effect: translate('assets:remove.effect'),
    extra: placementEffect(ids, { remove: [node] }),
    names: tools.names,
    confirmLabel: translate('assets:remove.confirm'),
    run: () => http.put(`assets/nodes/${node}/assets/remove/`, { assets: ids }, { quiet: true }),
  });
  if (!isRemoved) return;
  toast({ tone: 'ok', text: translate('assets:remove.done', { count: ids.length }) });
  await queryClient.invalidateQueries({ queryKey: ['tree'] });
  tools.clear();
  tools.refresh();
}
