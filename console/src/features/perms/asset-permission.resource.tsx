import { Server } from 'lucide-react';
import { actionNames } from '#/domain/explain-access/actions';
import { assetOptions, nodeOptions, systemUserOptions } from '#/domain/remotes';
import type { Api } from '#/lib/api-types';
import { paths } from '#/lib/paths';
import { lazyPart } from '#/resource/lazy-part';
import { assetPermissionRoutes } from './addresses';
import type { LinkedObjects, PermissionRow } from './kind';
import { assetsOf } from './named';
import { freshTerms, prefilled, prefilledPeople } from './permission-form';
import { systemUsersCard } from './permission-parts';
import { permissionResource } from './permission-resource';

const ActionsField = lazyPart(async () => (await import('./ActionsField')).ActionsField);

export type AssetPermissionRow = PermissionRow &
  Pick<
    Api<'AssetPermission'>,
    'assets' | 'assets_display' | 'nodes' | 'nodes_display' | 'assets_amount' | 'nodes_amount'
  > & {
    /** Always present in answers, although a write may send null. */
    readonly actions: readonly string[];
  };

const CARDS: readonly LinkedObjects[] = [
  {
    title: 'perms:card.assets',
    add: 'perms:card.add_asset',
    remote: assetOptions,
    path: 'assets',
    other: 'asset',
    linkTo: paths.asset,
  },
  {
    title: 'perms:card.nodes',
    add: 'perms:card.add_node',
    remote: nodeOptions,
    path: 'nodes',
    other: 'node',
    linkTo: paths.assetsOfNode,
  },
  systemUsersCard(systemUserOptions),
];

export const assetPermission = permissionResource<AssetPermissionRow, 'perms/asset-permissions/'>({
  name: 'AssetPermissionListTable',
  links: { api: 'perms/asset-permissions', own: 'assetpermission' },
  object: 'asset_permission',
  routes: assetPermissionRoutes,
  noun: { one: 'perms:permission.one', many: 'perms:permission.many', what: 'perms:permission.what' },
  icon: Server,
  whatOf: assetsOf,
  nothing: 'perms:state.nothing',
  actionsOf: (row) => row.actions,
  list: {
    place: ['node', 'asset'],
    columns: [],
    amounts: ['assets_amount', 'nodes_amount'],
    filters: [
      { key: 'ip', label: 'perms:filter.ip' },
      { key: 'hostname', label: 'perms:filter.hostname' },
      { key: 'node', label: 'perms:filter.node' },
      { key: 'system_user', label: 'perms:filter.system_user' },
    ],
  },
  form: {
    basic: [],
    targets: { title: 'perms:form.asset', fields: ['assets', 'nodes', 'system_users'] },
    more: [{ title: 'perms:form.action', fields: ['actions'] }],
    initial: (query) => ({
      ...prefilledPeople(query),
      assets: prefilled(query, 'asset'),
      nodes: prefilled(query, 'node'),
      actions: actionNames(
        new Set(['connect', 'upload_file', 'download_file', 'clipboard_copy', 'clipboard_paste']),
      ),
      ...freshTerms(),
    }),
    fields: {
      assets: { remote: assetOptions, multiple: true },
      nodes: { remote: nodeOptions, multiple: true, help: 'perms:form.nodes_help' },
      system_users: { remote: systemUserOptions, multiple: true, required: true },
      actions: {
        label: 'perms:form.actions',
        required: true,
        help: 'perms:form.clipboard_help',
        render: (input) => <ActionsField input={input} />,
      },
    },
    lists: ['assets', 'nodes'],
    terms: ({ actions }) => ({ actions: Array.isArray(actions) ? actions.map(String) : [] }),
    incomplete: 'perms:preview.incomplete',
    explain: () => ({}),
  },
  detail: {
    facts: [],
    explain: () => ({}),
    tab: 'perms:tab.targets',
    cards: () => CARDS,
  },
});
