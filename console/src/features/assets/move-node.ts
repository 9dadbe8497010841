import { explain } from '#/lib/http/catalogue';
import { http } from '#/lib/http/client';
import { HttpError, NotFoundError, ValidationError } from '#/lib/http/errors';
import { translate } from '#/lib/i18n';
import { queryClient } from '#/lib/query';
import { accessEffect } from '#/domain/access-preview/effects';
import { type TreeNode, splitCount } from '#/domain/node-tree/NodeTree';
import { confirm } from '#/ui/confirm';
import { toast } from '#/ui/toast';
import { keysChanged, type MovedNode } from './moving';

/** Key of the node above; '' for a root. */
export function parentKey(key: string): string {
  return key.slice(0, Math.max(0, key.lastIndexOf(':')));
}

/** Why the node cannot be moved there; undefined when it can. */
export function whyNotThere(node: MovedNode, target: MovedNode): string | undefined {
  if (!node.key.includes(':')) return translate('assets:move.root');
  if (target.key === node.key || target.key.startsWith(`${node.key}:`))
    return translate('assets:move.below_itself');
  if (parentKey(node.key) === target.key) return translate('assets:move.there_already', { node: node.label });
  return undefined;
}

/** Loads the tree, the chosen node and the list again. */
export async function reloadTree(): Promise<void> {
  keysChanged();
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['tree'] }),
    queryClient.invalidateQueries({ queryKey: ['node'] }),
    queryClient.invalidateQueries({ queryKey: ['list'] }),
  ]);
}

/** Whether the server does not know one of the two nodes any more. */
function isGone(error: unknown): boolean {
  return error instanceof NotFoundError || (error instanceof ValidationError && 'nodes' in error.fields);
}

/** What stopped a move, in words. The tree is loaded again, so that it shows what is there now. */
async function reportFailure(node: MovedNode, error: unknown): Promise<void> {
  const text = isGone(error)
    ? translate('assets:move.gone')
    : translate('assets:move.failed', {
        node: node.label,
        reason: error instanceof ValidationError ? Object.values(error.fields).join('; ') : explain(error),
      });
  toast({ tone: 'error', text });
  await reloadTree();
}

/** Number of assets below the node as it is now. Throws `NotFoundError` when the node is no longer there. */
async function assetsBelow(node: MovedNode): Promise<number> {
  const children = await http.get<readonly TreeNode[]>('assets/nodes/children/tree/', {
    query: { assets: 0, key: parentKey(node.key) },
    quiet: true,
  });
  const now = children.find((child) => child.meta.data.id === node.id);
  if (!now) {
    throw new NotFoundError({
      status: 404,
      body: null,
      requestId: null,
      method: 'GET',
      path: 'assets/nodes/',
    });
  }
  return splitCount(now.name).count ?? 0;
}

/** Asks, saying how many assets move, and moves the node with everything below it. True: it was moved. */
export async function moveNode(node: MovedNode, target: MovedNode): Promise<boolean> {
  const reason = whyNotThere(node, target);
  if (reason !== undefined) {
    toast({ tone: 'info', text: reason });
    return false;
  }
  const names = { node: node.label, target: target.label };
  let failed = false;
  try {
    const count = await assetsBelow(node);
    const isMoved = await confirm({
      title: translate('assets:move.question', names),
      effect: translate('assets:move.effect', { ...names, count }),
      extra: accessEffect([{ object: 'node', action: 'update', id: node.id, values: { parent: target.id } }]),
      confirmLabel: translate('assets:move.confirm'),
      run: async () => {
        try {
          await http.put(`assets/nodes/${target.id}/children/add/`, { nodes: [node.id] }, { quiet: true });
        } catch (error) {
          // A lost connection may be tried again from the open question; an answer of the server will not change.
          if (!(error instanceof HttpError)) throw error;
          await reportFailure(node, error);
          failed = true;
        }
      },
    });
    if (!isMoved || failed) return false;
  } catch (error) {
    await reportFailure(node, error);
    return false;
  }
  toast({ tone: 'ok', text: translate('assets:move.done', names) });
  await reloadTree();
  return true;
}
