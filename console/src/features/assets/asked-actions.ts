/** Actions on assets that ask first, loaded when they are used. */

import { http } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import { queryClient } from '#/lib/query';
import { deactivationEffect, placementEffect } from '#/domain/access-preview/effects';
import type { BulkTools } from '#/resource/define';
import { confirm } from '#/ui/confirm';
import { toast } from '#/ui/toast';

/** Asks before assets are deactivated; the question says who loses access, and which sessions end. */
function askToDeactivate(
  ids: readonly string[],
  names: readonly string[],
  run: () => Promise<unknown>,
): Promise<boolean> {
  return confirm({
    title: translate('assets:deactivate_question', { count: ids.length }),
    effect: translate('assets:deactivate_effect'),
    extra: deactivationEffect('asset', ids),
    names,
    confirmLabel: translate('assets:deactivate'),
    danger: true,
    run,
  });
}

/** The switch on the page of an asset. */
export async function switchActive(
  row: { readonly id: string; readonly hostname: string },
  active: boolean,
): Promise<void> {
  const write = (quiet: boolean) => http.patch(`assets/assets/${row.id}/`, { is_active: active }, { quiet });
  if (active) await write(false);
  else await askToDeactivate([row.id], [row.hostname], () => write(true));
}

/** Switches assets on, or off after a question. */
export async function setActive(ids: readonly string[], active: boolean, tools: BulkTools): Promise<void> {
  const write = (quiet: boolean) =>
    http.patch(
      'assets/assets/',
      ids.map((id) => ({ id, is_active: active })),
      { quiet },
    );
  if (active) await write(false);
  else if (!(await askToDeactivate(ids, tools.names, () => write(true)))) return;
  toast({
    tone: 'ok',
    text: translate(active ? 'assets:activated' : 'assets:deactivated', { count: ids.length }),
  });
  tools.refresh();
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
