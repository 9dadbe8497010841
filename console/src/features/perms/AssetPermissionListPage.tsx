import { useNavigate, useSearch } from '@tanstack/react-router';
import { useT } from '#/lib/i18n';
import { ResourceList } from '#/resource/list/ResourceList';
import type { ChosenNode } from '#/domain/node-search/chosen-node';
import { NodeTree } from '#/domain/node-tree/NodeTree';
import { assetPermission } from './asset-permission.resource';
import { placeOf } from './place';
import { ROOMY, useTreePlace } from './tree-place';

/** The permissions, filtered by the node or asset chosen in the tree. */
export function AssetPermissionListPage() {
  const t = useT();
  const navigate = useNavigate();
  const { node, asset }: { node?: string; asset?: string } = useSearch({ strict: false });
  const choose = (next: ChosenNode) => {
    const isAsset = next.type === 'asset';
    const already = isAsset ? asset === next.id : node === next.id;
    void navigate({
      to: '.',
      search: (old: Record<string, string | undefined>) => ({
        ...old,
        node: isAsset || already ? undefined : next.id,
        asset: isAsset && !already ? next.id : undefined,
        page: undefined,
      }),
      replace: true,
    });
  };
  const place = useTreePlace();
  const tree = (
    <NodeTree
      title={t('perms:tree')}
      api="assets/nodes/children/tree/"
      query={{ assets: 1 }}
      selected={asset ?? node ?? null}
      onSelect={choose}
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
