import { useNavigate, useSearch } from '@tanstack/react-router';
import { useT } from '#/lib/i18n';
import { ResourceList } from '#/resource/list/ResourceList';
import type { ChosenNode } from '#/domain/node-search/chosen-node';
import { NodeTree } from '#/domain/node-tree/NodeTree';
import { useMedia } from '#/ui/use-media';
import { assetPermission } from './asset-permission.resource';
import { placeOf } from './place';

/** Media query for windows with room for the tree and the summary side by side. */
const ROOMY = '(width >= 1440px)';
/** Media query for windows with one column: the button of the tree is above the heading. */
const NARROW = '(width < 1200px)';

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
  const isRoomy = useMedia(ROOMY);
  const isNarrow = useMedia(NARROW);
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
      {...(isRoomy || isNarrow ? { side: tree } : { tools: tree })}
    />
  );
}
