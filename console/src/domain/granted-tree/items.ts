import { Folder, Info, Server } from 'lucide-react';
import type { TreeItem } from '#/ui/tree';

/**
 * A node or asset of the tree of what the person may reach, or a note about assets that the tree does not hold. `Asset`
 * is what its user reads of an asset.
 */
export interface GrantedNode<Asset extends object> {
  readonly id: string;
  readonly name: string;
  readonly isParent: boolean;
  readonly meta:
    | { readonly type: 'node'; readonly data: { readonly id: string; readonly key: string } }
    | { readonly type: 'asset'; readonly data: Asset }
    | { readonly type: 'note'; readonly data: object };
}

const COUNT = /^(.*) \((\d+)\)$/s;

/** The id in the tree is the place, not the asset, because several nodes may hold the same asset. */
export function itemOf(node: GrantedNode<object>, parentId: string | null): TreeItem {
  if (node.meta.type === 'asset')
    return { id: `${parentId ?? ''}/${node.id}`, label: node.name, parentId, isBranch: false, icon: Server };
  if (node.meta.type === 'note')
    return { id: `${parentId ?? ''}/${node.id}`, label: node.name, parentId, isBranch: false, icon: Info };
  const [, name = node.name, count] = COUNT.exec(node.name) ?? [];
  return {
    id: node.meta.data.key,
    label: name,
    parentId,
    isBranch: node.isParent || Number(count) > 0,
    icon: Folder,
    ...(count === undefined ? {} : { count: Number(count) }),
  };
}
