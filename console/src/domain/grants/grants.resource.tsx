import { KeyRound } from 'lucide-react';
import { type Column, defineResource, type ResourceDefinition } from '#/resource/define';
import { GrantPeople, GrantState, GrantTargets, GrantTerms, GrantWay } from './cells';
import { accounts, everybody, people, PEOPLE_FILTERS, state, until } from './grant-columns';
import type { GrantRow } from './grant-row';

/** The object whose page shows the permissions. */
export interface GrantPlace {
  readonly kind: 'asset' | 'user' | 'user_group' | 'system_user';
  readonly id: string;
  /** For an asset: the full paths of its nodes. */
  readonly nodes?: readonly string[];
  readonly name?: string;
}

type Own = 'people' | 'everybody' | 'targets' | 'way' | 'state';
type Key = 'name' | 'system_users_display' | 'date_expired' | 'comment' | Own;
type Cell = Column<GrantRow, Key>;

const API = 'perms/asset-permissions/';
const everyone = everybody(API);
const targets: Cell = {
  key: 'targets',
  label: 'grants:what',
  sortable: false,
  cell: (row) => <GrantTargets row={row} />,
};
/** The column of the object itself is left out: an asset's permissions show no assets. */
function columnsSeenFrom({ kind, id, nodes = [] }: GrantPlace): readonly (Cell | Key)[] {
  const way: Cell = {
    key: 'way',
    label: 'grants:way',
    sortable: false,
    cell: (row) => <GrantWay row={row} assetId={id} places={nodes} />,
  };
  const between: Record<GrantPlace['kind'], readonly Cell[]> = {
    asset: [people, everyone, way, accounts],
    user: [targets, accounts],
    user_group: [targets, accounts],
    system_user: [people, targets],
  };
  return ['name', ...between[kind], until, state, 'comment'];
}

/** Asset permissions on the page of one object: read-only there, edited on their own screens. */
export function grantsSeenFrom(place: GrantPlace): ResourceDefinition<GrantRow> {
  const columns = columnsSeenFrom(place);
  // i18n: grants:none.*
  return defineResource<GrantRow, 'perms/asset-permissions/', Own>({
    name: `AssetPermissionsOf-${place.kind}`,
    api: API,
    routes: {
      names: { list: 'AssetPermissionList' },
      paths: {
        list: '/perms/asset-permissions',
        create: '/perms/asset-permissions/create',
        detail: '/perms/asset-permissions/$id',
      },
      titles: { list: 'nav:asset_permission_list', create: 'nav:asset_permission_create' },
    },
    icon: KeyRound,
    nameOf: (row) => row.name,
    noun: { one: 'grants:one', many: 'grants:many', what: `grants:none.${place.kind}` },
    can: { clone: false, update: () => false, deleteMany: false },
    list: {
      columns,
      shown: columns
        .map((column) => (typeof column === 'string' ? column : column.key))
        .filter((key) => key !== 'comment'),
      filters: [
        ...PEOPLE_FILTERS,
        { key: 'ip', label: 'grants:filter.ip' },
        { key: 'hostname', label: 'grants:filter.hostname' },
        { key: 'node', label: 'grants:filter.node' },
        { key: 'system_user', label: 'grants:filter.system_user' },
        {
          key: 'all',
          label: 'grants:filter.all',
          choices: [
            { value: '1', label: 'grants:filter.all_yes' },
            { value: '0', label: 'grants:filter.all_no' },
          ],
        },
      ],
      isInactive: (row) => !row.is_valid,
      phone: {
        icon: KeyRound,
        meta: (row) => (columns.includes(people) ? <GrantPeople row={row} /> : <GrantTargets row={row} />),
        note: (row) => <GrantTerms row={row} accounts={columns.includes(accounts)} />,
        status: (row) => <GrantState row={row} />,
      },
    },
  });
}
