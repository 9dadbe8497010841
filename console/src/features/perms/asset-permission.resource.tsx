import { KeyRound, Power } from 'lucide-react';
import type { Api } from '#/lib/api-types';
import { http } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { type ActionTools, type Column, defineResource, type FormValues } from '#/resource/define';
import { AmountCell } from '#/resource/format';
import { ExplainCard } from '#/domain/explain-access/ExplainCard';
import { deletionEffect } from '#/domain/access-preview/effects';
import { assetOptions, groupOptions, nodeOptions, systemUserOptions, userOptions } from '#/domain/remotes';
import { daysFrom } from '#/ui/dates/shortcuts';
import { fieldValue, instantOf, readTyped, written } from '#/ui/dates/typed';
import { actionNames } from '#/domain/explain-access/actions';
import { assetPermissionRoutes } from './addresses';
import { accountsOf, type NamedLists, type NamedObject, whatOf, whoOf } from './named';
import { NamesCell } from './NamesCell';
import { Until, Validity } from './Validity';
import { lazyPart } from '#/resource/lazy-part';

const RelationCard = lazyPart(async () => (await import('#/resource/detail/RelationCard')).RelationCard);
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

/** Default lifetime of a new permission, in days (contract). */
const DEFAULT_DAYS = 36_500;
const noEnd = (): string => fieldValue(daysFrom(new Date(), DEFAULT_DAYS), 'datetime');

/** Query parameters of the form: other pages link here with an asset, a person or an account prefilled. */
function named(query: Readonly<Record<string, string>>, key: string): readonly string[] {
  return query[key] ? [query[key]] : [];
}

/** A permission cannot end before it begins. */
function startOf(values: FormValues): Date | undefined {
  const start = values['date_start'];
  if (typeof start !== 'string') return undefined;
  const typed = readTyped(written(start));
  return 'value' in typed ? instantOf(typed.value) : undefined;
}

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

function relation(other: 'user' | 'usergroup' | 'asset' | 'node' | 'systemuser') {
  const path = {
    user: 'users',
    usergroup: 'user-groups',
    asset: 'assets',
    node: 'nodes',
    systemuser: 'system-users',
  }[other];
  return { api: `perms/asset-permissions-${path}-relations/`, own: 'assetpermission', other };
}

function People({ row, tools }: { readonly row: AssetPermissionRow; readonly tools: ActionTools }) {
  return (
    <div className="grid grid-cols-1 items-start gap-3.5 md:grid-cols-2">
      <RelationCard
        title="perms:card.users"
        add="perms:card.add_user"
        remote={userOptions}
        relation={relation('user')}
        id={row.id}
        linkTo={paths.user}
        onChange={tools.refresh}
      />
      <RelationCard
        title="perms:card.groups"
        add="perms:card.add_group"
        remote={groupOptions}
        relation={relation('usergroup')}
        id={row.id}
        linkTo={paths.userGroup}
        onChange={tools.refresh}
      />
    </div>
  );
}

function Targets({ row, tools }: { readonly row: AssetPermissionRow; readonly tools: ActionTools }) {
  return (
    <div className="grid grid-cols-1 items-start gap-3.5 md:grid-cols-2">
      <RelationCard
        title="perms:card.assets"
        add="perms:card.add_asset"
        remote={assetOptions}
        relation={relation('asset')}
        id={row.id}
        linkTo={paths.asset}
        onChange={tools.refresh}
      />
      <RelationCard
        title="perms:card.nodes"
        add="perms:card.add_node"
        remote={nodeOptions}
        relation={relation('node')}
        id={row.id}
        linkTo={paths.assetsOfNode}
        onChange={tools.refresh}
      />
      <RelationCard
        title="perms:card.system_users"
        add="perms:card.add_system_user"
        remote={systemUserOptions}
        relation={relation('systemuser')}
        id={row.id}
        linkTo={paths.systemUser}
        onChange={tools.refresh}
      />
    </div>
  );
}

const YES_NO = [
  { value: '1', label: 'resource:yes' },
  { value: '0', label: 'resource:no' },
] as const;

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
    columns: [
      'name',
      names('who', whoOf),
      names('what', whatOf),
      names('as_whom', accountsOf),
      {
        key: 'date_expired',
        label: 'perms:column.until',
        cell: (row) => <Until value={row.date_expired} />,
      },
      { key: 'is_valid', label: 'perms:state.label', sortable: false, cell: (row) => <Validity row={row} /> },
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
      { key: 'name', label: 'perms:filter.name' },
      { key: 'is_valid', label: 'perms:filter.is_valid', choices: YES_NO },
      { key: 'is_effective', label: 'perms:filter.is_effective', choices: YES_NO },
      { key: 'username', label: 'perms:filter.username' },
      { key: 'user_group', label: 'perms:filter.user_group' },
      { key: 'ip', label: 'perms:filter.ip' },
      { key: 'hostname', label: 'perms:filter.hostname' },
      { key: 'node', label: 'perms:filter.node' },
      { key: 'system_user', label: 'perms:filter.system_user' },
      {
        key: 'all',
        label: 'perms:filter.all',
        choices: [
          { value: '1', label: 'perms:filter.all_yes' },
          { value: '0', label: 'perms:filter.all_no' },
        ],
      },
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
      users: named(query, 'user'),
      user_groups: named(query, 'user_group'),
      assets: named(query, 'asset'),
      nodes: named(query, 'node'),
      system_users: named(query, 'system_user'),
      actions: actionNames(
        new Set(['connect', 'upload_file', 'download_file', 'clipboard_copy', 'clipboard_paste']),
      ),
      is_active: true,
      date_start: fieldValue(new Date(), 'datetime'),
      date_expired: noEnd(),
    }),
    fields: {
      users: { remote: userOptions, multiple: true },
      user_groups: { remote: groupOptions, multiple: true, help: 'perms:form.people_help' },
      assets: { remote: assetOptions, multiple: true },
      nodes: { remote: nodeOptions, multiple: true, help: 'perms:form.nodes_help' },
      system_users: { remote: systemUserOptions, multiple: true, required: true },
      actions: {
        label: 'perms:form.actions',
        required: true,
        render: (input) => <ActionsField input={input} />,
      },
      is_active: { control: 'switch' },
      date_expired: { noEnd, bounds: ({ values }) => ({ min: startOf(values) }) },
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
    quick: [
      {
        id: 'active',
        label: 'perms:quick.active',
        icon: Power,
        state: (row) => translate(row.is_active ? 'perms:quick.on' : 'perms:quick.off'),
        control: {
          kind: 'switch',
          value: (row) => row.is_active,
          change: (row, on) => http.patch(`perms/asset-permissions/${row.id}/`, { is_active: on }),
        },
      },
    ],
    side: () => <ExplainCard />,
    tabs: [
      {
        id: 'people',
        label: 'perms:tab.people',
        content: (row, tools) => <People row={row} tools={tools} />,
      },
      {
        id: 'targets',
        label: 'perms:tab.targets',
        content: (row, tools) => <Targets row={row} tools={tools} />,
      },
    ],
  },
});
