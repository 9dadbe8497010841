import { create } from 'zustand';
import { http } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import { queryClient } from '#/lib/query';
import type { BulkTools } from '#/resource/define';
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
