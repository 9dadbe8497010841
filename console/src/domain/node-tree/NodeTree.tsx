import { useQueries } from '@tanstack/react-query';
import { Folder, FolderOpen, Server, Star } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useMemo, useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { http } from '#/lib/http/client';
import type { QueryValues } from '#/lib/http/query-string';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { SkeletonLines } from '#/ui/skeleton';
import { Tree, type TreeItem, type TreeMoving } from '#/ui/tree';
import type { ChosenNode } from '../node-search/chosen-node';
import { NodeSearch } from '../node-search/NodeSearch';
import { useMedia } from '#/ui/use-media';

// Loaded on demand: only narrow windows use it.
const Drawer = lazy(async () => ({ default: (await import('#/ui/drawer')).Drawer }));
const WIDE = '(width >= 1200px)';

/** A node or asset, as the tree endpoints return it. */
export interface TreeNode {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly pId: string;
  readonly isParent: boolean;
  readonly meta: {
    readonly type: 'node' | 'asset' | string;
    readonly data: {
      readonly id: string;
      readonly key?: string;
      readonly value?: string;
      readonly ip?: string;
    };
  };
}

/** Splits “web (12)” into label and count; the server appends the count to the name. */
export function splitCount(name: string): { label: string; count: number | undefined } {
  const match = /^(.*) \((\d+)\)$/.exec(name);
  return match?.[1] !== undefined
    ? { label: match[1], count: Number(match[2]) }
    : { label: name, count: undefined };
}

function itemOf(node: TreeNode, open: boolean): TreeItem {
  const { label, count } = splitCount(node.name);
  const icon =
    node.meta.type === 'asset' ? Server : node.id === 'favorite' ? Star : open ? FolderOpen : Folder;
  return {
    id: node.id,
    label,
    parentId: node.pId === '' ? null : node.pId,
    isBranch: node.isParent,
    icon,
    ...(count === undefined ? {} : { count }),
  };
}

const TOP = '';

/** The loaded part of a tree, for code that moves its nodes. */
export interface LoadedTree {
  readonly nodes: ReadonlyMap<string, TreeNode>;
  readonly expanded: ReadonlySet<string>;
  readonly expand: (key: string, open: boolean) => void;
}

function keysAbove(key: string): readonly string[] {
  const parts = key.split(':');
  return parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join(':'));
}

/** A button, labelled with the chosen node's name, that opens the tree. */
function TreeDrawer({
  title,
  label,
  isOpen,
  onOpen,
  children,
}: {
  readonly title: string;
  readonly label: string;
  readonly isOpen: boolean;
  readonly onOpen: (open: boolean) => void;
  readonly children: ReactNode;
}) {
  return (
    <>
      <Button
        icon={FolderOpen}
        className="justify-start! self-start max-sm:w-full"
        onClick={() => onOpen(true)}
      >
        {label}
      </Button>
      <Suspense>
        <Drawer side="left" title={title} isOpen={isOpen} onClose={() => onOpen(false)}>
          {children}
        </Drawer>
      </Suspense>
    </>
  );
}

/** A tree beside a list, under its title. In windows without room for it, it is in a drawer behind a button. */
export function TreeFrame({
  title,
  label,
  isOpen,
  onOpen,
  actions,
  foot,
  wide = WIDE,
  children,
}: {
  readonly title: string;
  /** Text of the button: what is chosen in the tree. */
  readonly label: string;
  /** Whether the drawer is open. */
  readonly isOpen: boolean;
  readonly onOpen: (open: boolean) => void;
  readonly actions?: ReactNode;
  readonly foot?: ReactNode;
  /** Media query for windows with room for the tree beside the list. */
  readonly wide?: string;
  readonly children: ReactNode;
}) {
  const isWide = useMedia(wide);
  const content = (
    <>
      <header className="flex min-h-10 items-center gap-1 border-b border-line px-3 py-1">
        <h2 className="grow text-lead">{title}</h2>
        {actions}
      </header>
      {children}
      {foot !== undefined && <footer className="border-t border-line px-3 py-1.5">{foot}</footer>}
    </>
  );
  if (isWide) {
    return (
      <aside aria-label={title} className="pt-card flex w-(--tree-w) flex-none flex-col overflow-hidden">
        {content}
      </aside>
    );
  }
  return (
    <TreeDrawer title={title} label={label} isOpen={isOpen} onOpen={onOpen}>
      {content}
    </TreeDrawer>
  );
}

/** The children of one node, as they were when they were loaded. */
interface Level {
  readonly data: readonly TreeNode[];
  readonly loadedAt: number;
}

/** An asset can be in several nodes, and a root is nowhere else. */
function isMovable({ pId, meta }: TreeNode): boolean {
  return pId !== TOP && meta.type === 'node';
}

/**
 * Whether a node is where its level says. After a move the old and the new level are loaded again one after the other:
 * a node that is in both is in the one that was loaded last.
 */
function lastPlaces(levels: readonly Level[]): (level: Level, node: TreeNode) => boolean {
  const lastLoaded = new Map<string, number>();
  for (const { data, loadedAt } of levels) {
    for (const node of data) {
      const { id } = node.meta.data;
      if (isMovable(node)) lastLoaded.set(id, Math.max(loadedAt, lastLoaded.get(id) ?? 0));
    }
  }
  return ({ loadedAt }, node) => !isMovable(node) || loadedAt === lastLoaded.get(node.meta.data.id);
}

/** Loaded nodes by id, and which are expanded or loading. Children are requested when a node is expanded. */
function useNodes(api: string, query: QueryValues | undefined, reveal: string | undefined) {
  const [closed, setClosed] = useState<ReadonlySet<string>>(new Set());
  const [opened, setOpened] = useState<readonly string[]>([]);
  const keys = useMemo(() => [TOP, ...opened], [opened]);
  const results = useQueries({
    queries: keys.map((key) => ({
      queryKey: ['tree', api, query ?? {}, key],
      queryFn: () => http.get<readonly TreeNode[]>(api, { query: { ...query, key }, quiet: true }),
      staleTime: 30_000,
    })),
  });
  const [top] = results;
  const nodes = new Map<string, TreeNode>();
  // Keys change when a subtree is moved: what was loaded below a key that no longer exists is left out.
  const isLoaded = (key: string) => key === TOP || nodes.has(key);
  const levels = results.map(({ data = [], dataUpdatedAt }) => ({ data, loadedAt: dataUpdatedAt }));
  const isHere = lastPlaces(levels);
  for (const [index, level] of levels.entries()) {
    if (!isLoaded(keys[index] ?? TOP)) continue;
    for (const node of level.data) if (isHere(level, node)) nodes.set(node.id, node);
  }
  const loading = new Set(keys.filter((_, index) => results[index]?.isLoading));
  const expanded = new Set(
    [...nodes.keys()].filter((id) => !closed.has(id) && (opened.includes(id) || nodes.get(id)?.pId === TOP)),
  );
  // The first request returns only the root, so its children are requested at once.
  const roots = (top?.data ?? []).filter((node) => node.isParent && node.pId === TOP).map((node) => node.id);
  const unasked = [...roots, ...(reveal === undefined ? [] : keysAbove(reveal))].filter(
    (id, index, all) => !opened.includes(id) && all.indexOf(id) === index,
  );
  if (unasked.length > 0) setOpened([...opened, ...unasked]);
  const expand = (id: string, open: boolean) => {
    setClosed((old) => {
      const next = new Set(old);
      if (open) next.delete(id);
      else next.add(id);
      return next;
    });
    if (open && !opened.includes(id)) setOpened([...opened, id]);
  };
  return { top, nodes, expanded, loading, expand };
}

/** The tree itself: loading, failed, or its loaded nodes. */
function LoadedNodes({
  label,
  loaded: { top, nodes, expanded, loading, expand },
  selected,
  moving,
  onSelect,
}: {
  readonly label: string;
  readonly loaded: ReturnType<typeof useNodes>;
  readonly selected: string | null;
  readonly moving: TreeMoving | undefined;
  readonly onSelect: (node: ChosenNode) => void;
}) {
  const t = useT();
  return (
    <>
      {top?.isPending && <SkeletonLines />}
      {top?.error && (
        <div className="grid gap-2 p-3 text-ink-2">
          {explain(top.error)}
          <Button onClick={() => void top.refetch()}>{t('ui:retry')}</Button>
        </div>
      )}
      {top?.data && (
        <Tree
          label={label}
          items={[...nodes.values()].map((node) => itemOf(node, expanded.has(node.id)))}
          expanded={expanded}
          loading={loading}
          selected={selected}
          moving={moving}
          onExpand={expand}
          onSelect={(id) => {
            const node = nodes.get(id);
            if (!node) return;
            onSelect({
              id: node.meta.data.id,
              key: node.meta.data.key ?? node.id,
              label: splitCount(node.name).label,
              type: node.meta.type,
            });
          }}
        />
      )}
    </>
  );
}

/**
 * The node tree beside a list; below 1200 px (`wide`) it is in a drawer. Children are loaded when a node is expanded.
 */
export function NodeTree({
  title,
  api,
  query,
  selected,
  onSelect,
  actions,
  foot,
  searchApi,
  reveal,
  moving,
  wide,
}: {
  readonly title: string;
  readonly api: string;
  readonly query?: QueryValues;
  /** Object id of the chosen node. */
  readonly selected: string | null;
  readonly onSelect: (node: ChosenNode) => void;
  readonly actions?: ReactNode;
  readonly foot?: ReactNode;
  /** List endpoint in which nodes are searched by name. The route must load its texts (`node-search`). */
  readonly searchApi?: string;
  /** Key of a node whose place is opened, e.g. that of the chosen node. */
  readonly reveal?: string;
  readonly moving?: (tree: LoadedTree) => TreeMoving;
  /** Media query for windows with room for the tree beside the list. In other windows the tree is in a drawer. */
  readonly wide?: string;
}) {
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const loaded = useNodes(api, query, reveal);
  const nodes = [...loaded.nodes.values()];
  const selectedKey = nodes.find((node) => node.meta.data.id === selected)?.id ?? selected;
  const choose = (node: ChosenNode) => {
    setDrawerOpen(false);
    onSelect(node);
  };
  const tree = (
    <LoadedNodes
      label={title}
      loaded={loaded}
      selected={selectedKey}
      moving={moving?.(loaded)}
      onSelect={choose}
    />
  );
  const chosen = nodes.find((node) => node.id === selectedKey);
  return (
    <TreeFrame
      title={title}
      label={chosen ? splitCount(chosen.name).label : title}
      isOpen={isDrawerOpen}
      onOpen={setDrawerOpen}
      actions={actions}
      foot={foot}
      wide={wide}
    >
      {searchApi === undefined ? (
        tree
      ) : (
        <NodeSearch api={searchApi} onSelect={choose}>
          {tree}
        </NodeSearch>
      )}
    </TreeFrame>
  );
}
