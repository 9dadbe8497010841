import { useQueries, useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { itemOf } from '#/domain/granted-tree/items';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Checkbox } from '#/ui/choice';
import { Dialog } from '#/ui/dialog';
import { TextInput } from '#/ui/field';
import { SkeletonLines } from '#/ui/skeleton';
import { toast } from '#/ui/toast';
import { Tree, type TreeItem } from '#/ui/tree';
import { VisibleText } from '#/ui/visible-text';
import { assetsBelow, branchQuery, foundQuery, type GrantedAsset, type GrantedNode, MAX_HOSTS } from './api';
import { boxOf, NOBODY, type Selection, toggled } from './selection';

interface Loaded {
  readonly items: readonly TreeItem[];
  readonly assets: ReadonlyMap<string, GrantedAsset>;
  readonly nodes: ReadonlyMap<string, string>;
}

function loadedOf(branches: readonly (readonly [string | null, readonly GrantedNode[]])[]): Loaded {
  const items: TreeItem[] = [];
  const assets = new Map<string, GrantedAsset>();
  const nodes = new Map<string, string>();
  for (const [parentId, children] of branches)
    for (const node of children) {
      const item = itemOf(node, parentId);
      items.push(item);
      if (node.meta.type === 'asset') assets.set(item.id, node.meta.data);
      else if (node.meta.type === 'node') nodes.set(item.id, node.meta.data.id);
    }
  return { items, assets, nodes };
}

/** Ids of the loaded hosts below each node. */
function hostsBelow({ items, assets }: Loaded): ReadonlyMap<string, readonly string[]> {
  const parents = new Map(items.map((item) => [item.id, item.parentId]));
  const idsByAddress = new Map<string, string[]>();
  for (const [place, asset] of assets)
    for (let at = parents.get(place) ?? null; at !== null; at = parents.get(at) ?? null)
      idsByAddress.set(at, [...(idsByAddress.get(at) ?? []), asset.id]);
  return idsByAddress;
}

interface ChoosingProps {
  readonly systemUser: string;
  readonly selection: Selection;
  readonly onChange: (selection: Selection) => void;
}

/** The tree of what may be reached with the system user; ticking a node ticks all hosts below it. */
function HostTree({ systemUser, selection, onChange }: ChoosingProps) {
  const t = useT();
  const roots = useQuery(branchQuery(systemUser, null));
  const [opened, setOpened] = useState<ReadonlySet<string> | null>(null);
  /** All hosts of the nodes that were ticked, loaded or not. */
  const [whole, setWhole] = useState<ReadonlyMap<string, readonly string[]>>(new Map());
  const first = (roots.data ?? []).map((node) => itemOf(node, null)).filter((item) => item.isBranch);
  const expanded = opened ?? new Set(first.map((item) => item.id));
  const keys = [...expanded];
  const branches = useQueries({ queries: keys.map((key) => branchQuery(systemUser, key)) });
  if (roots.isPending) return <SkeletonLines />;
  if (roots.isError)
    return (
      <div className="grid gap-2 p-3">
        <p role="alert">{explain(roots.error)}</p>
        <Button onClick={() => void roots.refetch()}>{t('ui:retry')}</Button>
      </div>
    );
  if (first.length === 0) return <p className="p-3 text-ink-3">{t('jobs:batch.nothing_granted')}</p>;
  const loaded = loadedOf([
    [null, roots.data],
    ...keys.map((key, index) => [key, branches[index]?.data ?? []] as const),
  ]);
  const below = hostsBelow(loaded);
  const expand = (id: string, isOpen: boolean): void => {
    const next = new Set(expanded);
    if (isOpen) next.add(id);
    else next.delete(id);
    setOpened(next);
  };
  const tick = async (id: string): Promise<void> => {
    const asset = loaded.assets.get(id);
    if (asset) {
      onChange(toggled(selection, [asset]));
      return;
    }
    const node = loaded.nodes.get(id);
    if (node === undefined) return;
    const hosts = await assetsBelow(systemUser, node).catch(() => null);
    if (hosts === null) return;
    setWhole(
      new Map(whole).set(
        id,
        hosts.map((host) => host.id),
      ),
    );
    const next = toggled(selection, hosts);
    if (next.size > MAX_HOSTS) toast({ tone: 'error', text: t('jobs:batch.too_many', { most: MAX_HOSTS }) });
    else onChange(next);
  };
  return (
    <Tree
      label={t('jobs:batch.hosts')}
      items={loaded.items}
      expanded={expanded}
      loading={new Set(keys.filter((_, index) => branches[index]?.isPending))}
      selected={null}
      boxOf={(id) => {
        const asset = loaded.assets.get(id);
        if (asset) return selection.has(asset.id) ? 'on' : 'off';
        if (!loaded.nodes.has(id)) return undefined;
        return boxOf(selection, whole.get(id) ?? below.get(id) ?? []);
      }}
      onExpand={expand}
      onSelect={(id) => void tick(id)}
    />
  );
}

function FoundHosts({
  systemUser,
  search,
  selection,
  onChange,
}: ChoosingProps & { readonly search: string }) {
  const t = useT();
  const { data, error } = useQuery(foundQuery(systemUser, search));
  if (error && !data)
    return (
      <p role="alert" className="p-3">
        {explain(error)}
      </p>
    );
  if (!data) return <SkeletonLines lines={4} />;
  return (
    <div className="min-h-0 grow overflow-y-auto p-1">
      <p role="status" className="px-2 py-1 text-meta text-ink-3">
        {t('jobs:batch.found', { count: data.count })}
      </p>
      <ul>
        {data.results.map((asset) => (
          <li key={asset.id} className="px-2">
            <Checkbox
              className="w-full"
              checked={selection.has(asset.id)}
              onChange={() => onChange(toggled(selection, [asset]))}
            >
              <span className="min-w-0 grow truncate">
                <VisibleText text={asset.hostname} />
              </span>
              <span className="font-mono text-meta text-ink-3">{asset.ip}</span>
            </Checkbox>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Chooses the hosts of a command. */
export function HostsDialog({
  systemUser,
  selection,
  onChange,
  onClose,
}: ChoosingProps & { readonly onClose: () => void }) {
  const t = useT();
  const [search, setSearch] = useState('');
  const wanted = useDeferredValue(search.trim());
  return (
    <Dialog
      title={t('jobs:batch.choose_hosts')}
      isOpen
      onClose={onClose}
      footer={
        <>
          <span role="status" className="grow self-center text-ink-2">
            {t('jobs:batch.chosen', { count: selection.size })}
          </span>
          <Button disabled={selection.size === 0} onClick={() => onChange(NOBODY)}>
            {t('jobs:batch.none')}
          </Button>
          <Button kind="primary" onClick={onClose}>
            {t('jobs:batch.ready')}
          </Button>
        </>
      }
    >
      <div className="flex h-[60vh] min-h-72 flex-col gap-2">
        <TextInput
          type="search"
          aria-label={t('jobs:batch.find_host')}
          placeholder={t('jobs:batch.find_host')}
          value={search}
          onChange={(event) => setSearch(event.target.value)}
        />
        {wanted === '' ? (
          <HostTree systemUser={systemUser} selection={selection} onChange={onChange} />
        ) : (
          <FoundHosts systemUser={systemUser} search={wanted} selection={selection} onChange={onChange} />
        )}
      </div>
    </Dialog>
  );
}
