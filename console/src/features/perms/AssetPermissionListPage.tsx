import { useT } from '#/lib/i18n';
import { ResourceList } from '#/resource/list/ResourceList';
import type { ChosenNode } from '#/domain/node-search/chosen-node';
import { NodeTree } from '#/domain/node-tree/NodeTree';
import { assetPermission } from './asset-permission.resource';
import { type AssetPlace, placeOf } from './place';
import { ROOMY, useChosenPlace, useTreePlace } from './tree-place';

/** The permissions, filtered by the node or asset chosen in the tree. */
export function AssetPermissionListPage() {
  const t = useT();
  const [{ node, asset }, choose] = useChosenPlace<AssetPlace>();
  /** Choosing what is chosen shows everything again. */
  const toggle = ({ type, id }: ChosenNode) =>
    type === 'asset'
      ? choose({ node: undefined, asset: asset === id ? undefined : id })
      : choose({ node: node === id ? undefined : id, asset: undefined });
  const place = useTreePlace();
  const tree = (
    <NodeTree
      title={t('perms:tree')}
      api="assets/nodes/children/tree/"
      query={{ assets: 1 }}
      selected={asset ?? node ?? null}
      onSelect={toggle}
      wide={ROOMY}
    />
  );
  return (
    <ResourceList
      resource={assetPermission}
      query={placeOf({ node, asset })}
      createQuery={asset !== undefined ? `?asset=${asset}` : node === undefined ? '' : `?node=${node}`}
      {...place(tree)}
    />
  );
}
