import { useQuery } from '@tanstack/react-query';
import { Folder, FolderOpen } from 'lucide-react';
import { useState } from 'react';
import { CATEGORY_ICONS } from '#/domain/application-kinds/icons';
import type { ApplicationCategory } from '#/domain/application-kinds/kinds';
import { splitCount, TreeFrame } from '#/domain/node-tree/NodeTree';
import { explain } from '#/lib/http/catalogue';
import { http } from '#/lib/http/client';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { SkeletonLines } from '#/ui/skeleton';
import { Tree, type TreeItem } from '#/ui/tree';
import type { ApplicationPlace } from './place';

/** A node of the tree: the root, a category, a type or an application. */
export interface ApplicationNode {
  readonly id: string;
  readonly name: string;
  readonly pId: string;
  readonly isParent: boolean;
  readonly open: boolean;
  readonly meta: {
    readonly type: 'applications_root' | 'category' | 'type' | 'application';
    /** The value of a category or type; the category of an application. */
    readonly data?: { readonly value?: string; readonly category?: ApplicationCategory };
  };
}

const API = 'applications/applications/tree/';
/** Nothing is loaded on demand: one answer holds the whole tree. */
const NONE: ReadonlySet<string> = new Set();

/** What a node represents; the root represents everything. */
export function placeOfNode({ id, meta }: ApplicationNode): ApplicationPlace {
  if (meta.type === 'application') return { app: id };
  return meta.type === 'applications_root' ? {} : { [meta.type]: meta.data?.value };
}

function isSame(left: ApplicationPlace, right: ApplicationPlace): boolean {
  return left.category === right.category && left.type === right.type && left.app === right.app;
}

function itemOf(node: ApplicationNode, isOpen: boolean): TreeItem {
  // An application may be called "x (3)"; only branches have their number in the name.
  const { label, count } = node.isParent ? splitCount(node.name) : { label: node.name, count: undefined };
  return {
    id: node.id,
    label,
    parentId: node.pId === '' ? null : node.pId,
    isBranch: node.isParent,
    icon: node.isParent ? (isOpen ? FolderOpen : Folder) : CATEGORY_ICONS[node.meta.data?.category ?? 'db'],
    ...(count === undefined ? {} : { count }),
  };
}

/** The applications by category and type. Choosing what is chosen shows everything again. */
export function ApplicationTree({
  chosen,
  onChoose,
  wide,
}: {
  readonly chosen: ApplicationPlace;
  readonly onChoose: (place: ApplicationPlace) => void;
  readonly wide: string;
}) {
  const t = useT();
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const [toggled, setToggled] = useState<ReadonlyMap<string, boolean>>(new Map());
  const tree = useQuery({
    queryKey: ['tree', API],
    queryFn: () => http.get<readonly ApplicationNode[]>(API, { query: { show_count: 1 }, quiet: true }),
    staleTime: 30_000,
  });
  const nodes = tree.data ?? [];
  const selected = nodes.find((node) => isSame(placeOfNode(node), chosen));
  const parents = new Map(nodes.map((node) => [node.id, node.pId]));
  const above = new Set<string>();
  for (let id = selected?.pId; id !== undefined && id !== ''; id = parents.get(id)) above.add(id);
  const expanded = new Set(
    nodes.filter((node) => toggled.get(node.id) ?? (node.open || above.has(node.id))).map((node) => node.id),
  );
  const title = t('perms:application_tree');
  return (
    <TreeFrame
      title={title}
      label={selected ? splitCount(selected.name).label : title}
      isOpen={isDrawerOpen}
      onOpen={setDrawerOpen}
      wide={wide}
    >
      {tree.isPending && <SkeletonLines />}
      {tree.error && (
        <div className="grid gap-2 p-3 text-ink-2">
          {explain(tree.error)}
          <Button onClick={() => void tree.refetch()}>{t('ui:retry')}</Button>
        </div>
      )}
      {tree.data && (
        <Tree
          label={title}
          items={nodes.map((node) => itemOf(node, expanded.has(node.id)))}
          expanded={expanded}
          loading={NONE}
          selected={selected?.id ?? null}
          onExpand={(id, open) => setToggled(new Map(toggled).set(id, open))}
          onSelect={(id) => {
            const node = nodes.find((child) => child.id === id);
            if (!node) return;
            setDrawerOpen(false);
            onChoose(node === selected ? {} : placeOfNode(node));
          }}
        />
      )}
    </TreeFrame>
  );
}
