/** Actions on assets that ask first, loaded when they are used. */

import { http } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import { queryClient } from '#/lib/query';
import { placementEffect } from '#/domain/access-preview/effects';
import { switchingOf } from '#/domain/access-preview/switching';
import type { BulkTools } from '#/resource/define';
import { confirm } from '#/ui/confirm';
import { toast } from '#/ui/toast';

const switching = switchingOf('asset', 'assets/assets/', {
  question: 'assets:deactivate_question',
  effect: 'assets:deactivate_effect',
  confirm: 'assets:deactivate',
  on: 'assets:activated',
  off: 'assets:deactivated',
});
/** Switches assets on, or off after a question. */
export const setActive = switching.many;

/** The switch on the page of an asset. */
export function switchActive(
  row: { readonly id: string; readonly hostname: string },
  active: boolean,
): Promise<void> {
  return switching.one(row.id, row.hostname, active);
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
