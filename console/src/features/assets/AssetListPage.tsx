import { useNavigate, useSearch } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useT } from '#/lib/i18n';
import { ResourceList } from '#/resource/list/ResourceList';
import type { ChosenNode } from '#/domain/node-search/chosen-node';
import { NodeTree } from '#/domain/node-tree/NodeTree';
import { Checkbox } from '#/ui/choice';
import { RowDrag } from '#/ui/row-drag';
import { asset } from './asset.resource';
import { usePlacement } from './placement';
import { placeOf, rememberedOnlyDirect, rememberOnlyDirect } from './asset-place';
import { useChosenNode } from './use-chosen-node';
import { useTreeMoving } from './use-tree-moving';

const PlacementDialog = lazy(async () => ({
  default: (await import('./PlacementDialog')).PlacementDialog,
}));

const CutStatus = lazy(async () => ({ default: (await import('./CutStatus')).CutStatus }));
const NodeMenu = lazy(async () => ({ default: (await import('./NodeMenu')).NodeMenu }));

/** The dialog that a bulk action or the tree's menu has opened. */
function PlacementHost() {
  const asked = usePlacement((state) => state.asked);
  return (
    asked && (
      <Suspense>
        <PlacementDialog placement={asked} onClose={() => usePlacement.setState({ asked: null })} />
      </Suspense>
    )
  );
}

/** Node tree on the left, assets of the chosen node on the right. The node is part of the address. */
export function AssetListPage() {
  const t = useT();
  const navigate = useNavigate();
  const { node }: { node?: string } = useSearch({ strict: false });
  const [onlyDirect, setOnlyDirect] = useState(rememberedOnlyDirect);
  const moving = useTreeMoving();
  const [chosen, setChosen] = useChosenNode(node, () => choose(null));
  function choose(next: ChosenNode | null): void {
    setChosen(next);
    void navigate({
      to: '.',
      search: (old: Record<string, string | undefined>) => ({ ...old, node: next?.id, page: undefined }),
      replace: true,
    });
  }
  return (
    <RowDrag value={moving?.dragAssets ?? null}>
      <PlacementHost />
      <ResourceList
        resource={asset}
        title={chosen?.label}
        query={placeOf(node, onlyDirect)}
        createQuery={node === undefined ? '' : `?node=${node}`}
        side={
          <NodeTree
            title={t('assets:nodes')}
            api="assets/nodes/children/tree/"
            query={{ assets: 0 }}
            searchApi="assets/nodes/"
            selected={node ?? null}
            onSelect={(next) => choose(next.id === node ? null : next)}
            reveal={chosen?.key}
            moving={moving?.treeMoving}
            actions={
              <Suspense>
                <NodeMenu chosen={chosen} onGone={() => choose(null)} />
              </Suspense>
            }
            foot={
              <div className="grid gap-1.5">
                <Suspense>
                  <CutStatus />
                </Suspense>
                <Checkbox
                  checked={!onlyDirect}
                  onChange={(event) => {
                    const direct = !event.target.checked;
                    setOnlyDirect(direct);
                    rememberOnlyDirect(direct);
                  }}
                >
                  {t('assets:node.include_children')}
                </Checkbox>
              </div>
            }
          />
        }
      />
    </RowDrag>
  );
}
