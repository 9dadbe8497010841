import { Server } from 'lucide-react';
import { useMemo } from 'react';
import { defineResource } from '#/resource/define';
import { ChipsCell, MonoCell } from '#/resource/format';
import { ResourceList } from '#/resource/list/ResourceList';
import { assetRoutes } from './addresses';
import { Connectivity } from './Connectivity';
import type { AssetRow } from './asset-row';

/** Assets on the page of a label, domain or platform: read-only there, edited on their own screens. */
const listedAssets = (name: string, none: string) =>
  defineResource<AssetRow, 'assets/assets/'>({
    name,
    api: 'assets/assets/',
    routes: {
      names: { list: 'AssetList', detail: 'AssetDetail' },
      paths: { list: '/assets/assets', detail: '/assets/assets/$id' },
      titles: assetRoutes.titles,
    },
    icon: Server,
    nameOf: (row) => row.hostname,
    noun: { one: 'assets:asset.one', many: 'assets:asset.many', what: none },
    can: { create: false, clone: false, update: () => false, deleteMany: false },
    list: {
      columns: [
        'hostname',
        { key: 'ip', cell: (row) => <MonoCell value={row.ip} />, sortable: true },
        { key: 'protocols', cell: (row) => <ChipsCell values={row.protocols} mono />, sortable: false },
        'platform',
        { key: 'connectivity', cell: (row) => <Connectivity row={row} /> },
      ],
      isInactive: (row) => !row.is_active,
      phone: {
        icon: Server,
        meta: (row) => <span className="font-mono">{row.ip}</span>,
        status: (row) => <Connectivity row={row} />,
      },
    },
  });

const labelledAssets = listedAssets('LabelledAssetTable', 'assets:label_noun.no_assets');
const platformAssets = listedAssets('PlatformAssetTable', 'assets:platform_noun.no_assets');
const domainAssets = listedAssets('DomainAssetTable', 'assets:domain_noun.no_assets');

/** The assets with a label, given as `name:value`. */
export function LabelledAssets({ label }: { readonly label: string }) {
  const query = useMemo(() => ({ label }), [label]);
  return <ResourceList resource={labelledAssets} query={query} embedded />;
}

/** The assets in a domain. */
export function DomainAssets({ domainId }: { readonly domainId: string }) {
  const query = useMemo(() => ({ domain: domainId }), [domainId]);
  return <ResourceList resource={domainAssets} query={query} embedded />;
}

/** The assets of the current organization with a platform. */
export function PlatformAssets({ platform }: { readonly platform: string }) {
  const query = useMemo(() => ({ platform }), [platform]);
  return <ResourceList resource={platformAssets} query={query} embedded />;
}
