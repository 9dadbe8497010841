import { KeyRound } from 'lucide-react';
import type { Api } from '#/lib/api-types';
import { translate } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { type Column, defineResource } from '#/resource/define';
import { AmountCell } from '#/resource/format';
import { deletionEffect, importEffect } from '#/domain/access-preview/effects';
import { actionNames } from '#/domain/explain-access/actions';
import { ExplainCard } from '#/domain/explain-access/ExplainCard';
import { assetOptions, nodeOptions, systemUserOptions } from '#/domain/remotes';
import { assetPermissionRoutes } from './addresses';
import { accountsOf, type NamedLists, type NamedObject, whatOf, whoOf } from './named';
import { NamesCell } from './NamesCell';
import {
  freshTerms,
  INHERITED_FILTER,
  PEOPLE_FIELDS,
  PEOPLE_FILTERS,
  prefilled,
  prefilledPeople,
  TERMS_FIELDS,
} from './permission-form';
import {
  activeSwitch,
  LinkCards,
  type LinkedObjects,
  PEOPLE,
  type PermissionLinks,
  systemUsersCard,
  termsColumns,
} from './permission-parts';
import { Until, Validity } from './Validity';
import { lazyPart } from '#/resource/lazy-part';

const ActionsField = lazyPart(async () => (await import('./ActionsField')).ActionsField);
const Sentence = lazyPart(async () => (await import('./Sentence')).Sentence);
const PreviewCard = lazyPart(async () => (await import('./PreviewCard')).PreviewCard);

export type AssetPermissionRow = Pick<
  Api<'AssetPermission'>,
  | 'id'
  | 'name'
  | 'is_active'
  | 'is_valid'
  | 'date_start'
  | 'date_expired'
  | 'users_amount'
  | 'user_groups_amount'
  | 'assets_amount'
  | 'nodes_amount'
  | 'system_users_amount'
> &
  NamedLists & {
    /** Always present in answers, although a write may send null. */
    readonly actions: readonly string[];
  };

type Amount =
  | 'users_amount'
  | 'user_groups_amount'
  | 'assets_amount'
  | 'nodes_amount'
  | 'system_users_amount';

/** Columns with numbers, for sorting; hidden by default. */
function amount(key: Amount, tab: string) {
  return {
    key,
    align: 'right' as const,
    cell: (row: AssetPermissionRow) => (
      <AmountCell value={row[key]} to={`${paths.assetPermission(row.id)}?activeTab=${tab}`} />
    ),
  };
}

/** A column of named objects. A button opens the names that do not fit. */
function names(
  key: 'who' | 'what' | 'as_whom',
  objectsOf: (row: AssetPermissionRow) => readonly NamedObject[],
): Column<AssetPermissionRow, typeof key> {
  const label = `perms:column.${key}`;
  return {
    key,
    label,
    sortable: false,
    cell: (row) => <NamesCell objects={objectsOf(row)} label={`${translate(label)}: ${row.name}`} />,
  };
}

const first = (objects: readonly NamedObject[]): string =>
  objects.length > 1 ? `${objects[0]?.name} +${objects.length - 1}` : (objects[0]?.name ?? '—');

const LINKS: PermissionLinks = { api: 'perms/asset-permissions', own: 'assetpermission' };

const TARGETS: readonly LinkedObjects[] = [
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

export const assetPermission = defineResource<
  AssetPermissionRow,
  'perms/asset-permissions/',
  'who' | 'what' | 'as_whom'
>({
  name: 'AssetPermissionListTable',
  api: 'perms/asset-permissions/',
  routes: assetPermissionRoutes,
  icon: KeyRound,
  nameOf: (row) => row.name,
  noun: { one: 'perms:permission.one', many: 'perms:permission.many', what: 'perms:permission.what' },
  can: { delete: () => true },
  deleteEffect: deletionEffect('asset_permission'),
  list: {
    place: ['node', 'asset'],
    exchange: { importEffect: importEffect('asset_permission') },
    columns: [
      'name',
      names('who', whoOf),
      names('what', whatOf),
      names('as_whom', accountsOf),
      ...termsColumns<AssetPermissionRow>(),
      amount('users_amount', 'people'),
      amount('user_groups_amount', 'people'),
      amount('assets_amount', 'targets'),
      amount('nodes_amount', 'targets'),
      amount('system_users_amount', 'targets'),
      'is_expired',
      'is_active',
      'date_start',
      'created_by',
      'date_created',
      'comment',
      'org_name',
    ],
    shown: ['name', 'who', 'what', 'as_whom', 'date_expired', 'is_valid'],
    filters: [
      ...PEOPLE_FILTERS,
      { key: 'ip', label: 'perms:filter.ip' },
      { key: 'hostname', label: 'perms:filter.hostname' },
      { key: 'node', label: 'perms:filter.node' },
      { key: 'system_user', label: 'perms:filter.system_user' },
      INHERITED_FILTER,
    ],
    isInactive: (row) => !row.is_valid,
    phone: {
      icon: KeyRound,
      meta: (row) => (
        <span className="truncate">
          {first(whoOf(row))} → {first(whatOf(row))}
        </span>
      ),
      note: (row) => (
        <>
          <div>
            {translate('perms:column.as_whom')}: {first(accountsOf(row))}
          </div>
          <div className="whitespace-nowrap">
            {translate('perms:column.until')}: <Until value={row.date_expired} />
          </div>
        </>
      ),
      status: (row) => <Validity row={row} />,
    },
  },
  form: {
    groups: [
      { title: 'perms:form.basic', fields: ['name'] },
      { title: 'perms:form.user', fields: ['users', 'user_groups'] },
      { title: 'perms:form.asset', fields: ['assets', 'nodes', 'system_users'] },
      { title: 'perms:form.action', fields: ['actions'] },
      { title: 'perms:form.other', fields: ['is_active', 'date_start', 'date_expired', 'comment'] },
    ],
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
      ...PEOPLE_FIELDS,
      assets: { remote: assetOptions, multiple: true },
      nodes: { remote: nodeOptions, multiple: true, help: 'perms:form.nodes_help' },
      system_users: { remote: systemUserOptions, multiple: true, required: true },
      actions: {
        label: 'perms:form.actions',
        required: true,
        render: (input) => <ActionsField input={input} />,
      },
      ...TERMS_FIELDS,
    },
    aside: ({ values, id }) => (
      <div className="grid gap-3.5">
        <PreviewCard values={values} id={id} />
        <ExplainCard />
      </div>
    ),
  },
  detail: {
    status: (row) => <Validity row={row} />,
    cards: [
      {
        title: 'perms:form.basic',
        fields: ['name', 'is_active', 'date_created', 'created_by', 'comment'],
      },
    ],
    lead: (row) => <Sentence row={row} />,
    quick: [activeSwitch<AssetPermissionRow>('perms/asset-permissions/')],
    side: () => <ExplainCard />,
    tabs: [
      {
        id: 'people',
        label: 'perms:tab.people',
        content: (row, tools) => (
          <LinkCards links={LINKS} cards={PEOPLE} id={row.id} onChange={tools.refresh} />
        ),
      },
      {
        id: 'targets',
        label: 'perms:tab.targets',
        content: (row, tools) => (
          <LinkCards links={LINKS} cards={TARGETS} id={row.id} onChange={tools.refresh} />
        ),
      },
    ],
  },
});
