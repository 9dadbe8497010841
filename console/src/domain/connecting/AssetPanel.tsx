import { useQueries, useQuery } from '@tanstack/react-query';
import { KeyRound, Server } from 'lucide-react';
import { useDeferredValue, useState } from 'react';
import { AdminPageLink } from '#/domain/admin-page/AdminPageLink';
import { mayGrant } from '#/domain/admin-page/may-grant';
import { itemOf } from '#/domain/granted-tree/items';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { useSession } from '#/lib/session';
import { Button } from '#/ui/button';
import { TextInput } from '#/ui/field';
import { SkeletonLines } from '#/ui/skeleton';
import { Tree, type TreeItem } from '#/ui/tree';
import { assetSearchQuery, branchQuery, type GrantedAsset, type GrantedNode } from './api';

function openAtFirst(roots: readonly GrantedNode[]): ReadonlySet<string> {
  return new Set(
    roots
      .map((node) => itemOf(node, null))
      .flatMap((item) => (item.count !== undefined && item.count > 0 ? [item.id] : [])),
  );
}

export function AssetPanel({ onChoose }: { readonly onChoose: (asset: GrantedAsset) => void }) {
  const t = useT();
  const [search, setSearch] = useState('');
  const wanted = useDeferredValue(search.trim());
  return (
    <nav aria-label={t('connecting:my_assets')} className="flex min-h-0 grow flex-col gap-2">
      <div className="px-2">
        <TextInput
          type="search"
          aria-label={t('connecting:find_asset')}
          placeholder={t('connecting:find_asset')}
          value={search}
          className="pt-field-quiet"
          onChange={(event) => setSearch(event.target.value)}
        />
      </div>
      {wanted === '' ? <AssetTree onChoose={onChoose} /> : <Matches search={wanted} onChoose={onChoose} />}
    </nav>
  );
}

/** Administrators are told what they can do, others whom to ask. */
function NothingGranted() {
  const t = useT();
  const session = useSession();
  if (!mayGrant(session)) return <p className="p-3 text-ink-3">{t('connecting:nothing_granted')}</p>;
  return (
    <div className="grid justify-items-start gap-2 p-3">
      <p className="text-ink-3">{t('connecting:nothing_granted_yet')}</p>
      <AdminPageLink newTab icon={KeyRound} to={paths.createAssetPermission(`?user=${session.profile.id}`)}>
        {t('connecting:why.grant')}
      </AdminPageLink>
    </div>
  );
}

function AssetTree({ onChoose }: { readonly onChoose: (asset: GrantedAsset) => void }) {
  const t = useT();
  const roots = useQuery(branchQuery(null));
  // Until the person expands or collapses a node, the roots that have children are expanded.
  const [chosen, setChosen] = useState<ReadonlySet<string> | null>(null);
  const expanded = chosen ?? openAtFirst(roots.data ?? []);
  const open = [...expanded];
  const branches = useQueries({ queries: open.map((key) => branchQuery(key)) });
  if (roots.isPending) return <SkeletonLines />;
  if (roots.isError) {
    return (
      <div className="grid gap-2 p-3">
        <p role="alert">{explain(roots.error)}</p>
        <Button onClick={() => void roots.refetch()}>{t('ui:retry')}</Button>
      </div>
    );
  }
  // The node of favourites is there without any asset, too.
  if (roots.data.every((node) => itemOf(node, null).count === 0)) return <NothingGranted />;
  const assets = new Map<string, GrantedAsset>();
  const items: TreeItem[] = [];
  const add = (nodes: readonly GrantedNode[], parentId: string | null): void => {
    for (const node of nodes) {
      const item = itemOf(node, parentId);
      if (node.meta.type === 'asset') assets.set(item.id, node.meta.data);
      items.push(item);
    }
  };
  add(roots.data, null);
  open.forEach((key, index) => add(branches[index]?.data ?? [], key));
  const loading = new Set(open.filter((_, index) => branches[index]?.isPending));
  const toggle = (id: string, isOpen: boolean): void => {
    const next = new Set(expanded);
    if (isOpen) next.add(id);
    else next.delete(id);
    setChosen(next);
  };
  return (
    <Tree
      label={t('connecting:my_assets')}
      items={items}
      expanded={expanded}
      loading={loading}
      selected={null}
      onExpand={toggle}
      onSelect={(id) => {
        const asset = assets.get(id);
        if (asset) onChoose(asset);
        else if (items.some((item) => item.id === id && item.isBranch)) toggle(id, !expanded.has(id));
      }}
    />
  );
}

function Matches({
  search,
  onChoose,
}: {
  readonly search: string;
  readonly onChoose: (asset: GrantedAsset) => void;
}) {
  const t = useT();
  const searchQuery = useQuery(assetSearchQuery(search));
  if (searchQuery.isPending) return <SkeletonLines lines={4} />;
  if (searchQuery.isError) {
    return (
      <p role="alert" className="p-3">
        {explain(searchQuery.error)}
      </p>
    );
  }
  const { count, results } = searchQuery.data;
  return (
    <div className="min-h-0 grow overflow-y-auto p-1">
      <p role="status" className="px-2 py-1 text-meta text-ink-3">
        {t('connecting:matches', { count })}
      </p>
      <ul>
        {results.map((asset) => (
          <li key={asset.id}>
            <button
              type="button"
              className="pt-item w-full text-left hover:bg-surface-3"
              onClick={() => onChoose(asset)}
            >
              <Server aria-hidden />
              <span className="min-w-0 grow truncate">{asset.hostname}</span>
              <span className="font-mono text-meta text-ink-3">{asset.ip}</span>
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
