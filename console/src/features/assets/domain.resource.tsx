import { Network } from 'lucide-react';
import type { Api } from '#/lib/api-types';
import { translate } from '#/lib/i18n';
import { defineResource } from '#/resource/define';
import { AmountCell } from '#/resource/format';
import { lazyPart } from '#/resource/lazy-part';
import { objectPath } from '#/resource/routes';
import { assetOptions, domainOptions } from '#/domain/remotes';
import { AppLink } from '#/ui/link';
import { Missing } from '#/ui/status';
import { domainRoutes, gatewaysOf } from './addresses';

const DomainAssets = lazyPart(async () => (await import('./ListedAssets')).DomainAssets);
const Gateways = lazyPart(async () => (await import('./Gateways')).Gateways);

export type DomainRow = Pick<
  Api<'Domain'>,
  'id' | 'name' | 'asset_count' | 'gateway_count' | 'reached_through' | 'reached_through_display'
>;

function pageOf(id: string): string {
  return objectPath(domainRoutes.paths.detail, id);
}

function Through({ row }: { readonly row: DomainRow }) {
  if (!row.reached_through) return <Missing />;
  return <AppLink to={pageOf(row.reached_through)}>{row.reached_through_display}</AppLink>;
}

function Assets({ row }: { readonly row: DomainRow }) {
  return <AmountCell value={row.asset_count} to={`${pageOf(row.id)}?activeTab=assets`} />;
}

function GatewayCount({ row }: { readonly row: DomainRow }) {
  return <AmountCell value={row.gateway_count} to={gatewaysOf(row.id)} />;
}

export const domain = defineResource<DomainRow, 'assets/domains/'>({
  name: 'DomainListTable',
  api: 'assets/domains/',
  routes: domainRoutes,
  icon: Network,
  nameOf: (row) => row.name,
  noun: { one: 'assets:domain_noun.one', many: 'assets:domain_noun.many', what: 'assets:domain_noun.what' },
  // A clone would take the assets away from its origin.
  can: { delete: () => true, clone: false },
  list: {
    columns: [
      'name',
      { key: 'asset_count', align: 'right', cell: (row) => <Assets row={row} /> },
      'application_count',
      { key: 'gateway_count', align: 'right', cell: (row) => <GatewayCount row={row} /> },
      { key: 'reached_through_display', sortable: false, cell: (row) => <Through row={row} /> },
      'date_created',
      'comment',
      'org_name',
    ],
    shown: ['name', 'asset_count', 'gateway_count', 'reached_through_display', 'comment'],
    untyped: ['reached_through'],
    phone: {
      icon: Network,
      meta: (row) => (
        <span className="truncate">
          {translate('assets:domain_amounts', { assets: row.asset_count, gateways: row.gateway_count })}
        </span>
      ),
    },
  },
  form: {
    groups: [{ title: 'assets:form.basic', fields: ['name', 'assets', 'reached_through', 'comment'] }],
    fields: {
      assets: { remote: assetOptions, multiple: true },
      reached_through: { remote: domainOptions, multiple: false },
      comment: { control: 'textarea' },
    },
    opensDetail: 'create',
  },
  detail: {
    cards: [
      {
        title: 'assets:form.basic',
        fields: [
          'name',
          { key: 'reached_through', value: (row) => <Through row={row} /> },
          { key: 'asset_count', value: (row) => <Assets row={row} /> },
          { key: 'gateway_count', value: (row) => <GatewayCount row={row} /> },
          'date_created',
          'comment',
        ],
      },
    ],
    tabs: [
      {
        id: 'gateways',
        label: 'assets:tab.gateways',
        count: (row) => row.gateway_count,
        content: (row) => <Gateways domainId={row.id} />,
      },
      {
        id: 'assets',
        label: 'assets:tab.assets',
        count: (row) => row.asset_count,
        content: (row) => <DomainAssets domainId={row.id} />,
      },
    ],
  },
});
