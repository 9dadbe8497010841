import { KeyRound } from 'lucide-react';
import { paths } from '#/lib/paths';
import { defineResource } from '#/resource/define';
import { BooleanCell } from '#/resource/format';
import { AppLink } from '#/ui/link';

interface GrantRow {
  readonly id: string;
  readonly name: string;
  readonly is_valid: boolean;
  readonly is_active: boolean;
}

const YES_NO = [
  { value: '1', label: 'resource:yes' },
  { value: '0', label: 'resource:no' },
];

/** Asset permissions seen from a person: read here, changed on their own screens. */
export const grantsOfUser = defineResource<GrantRow, 'perms/asset-permissions/'>({
  name: 'UserAssetPermissionTable',
  api: 'perms/asset-permissions/',
  routes: {
    names: { list: 'AssetPermissionList' },
    paths: { list: '/perms/asset-permissions' },
    titles: { list: 'nav:asset_permission_list' },
  },
  icon: KeyRound,
  nameOf: (row) => row.name,
  noun: { one: 'users:grant.one', many: 'users:grant.many', what: 'users:grant.what' },
  can: { create: false, deleteMany: false },
  list: {
    next: { label: 'users:grant_access', to: '/perms/asset-permissions/create', permission: 'admin' },
    columns: [
      {
        key: 'name',
        cell: (row) => (
          <AppLink to={paths.assetPermission(row.id)} className="pt-link font-medium">
            {row.name}
          </AppLink>
        ),
      },
      'users_amount',
      'user_groups_amount',
      'assets_amount',
      'nodes_amount',
      'system_users_amount',
      { key: 'is_valid', cell: (row) => <BooleanCell value={row.is_valid} /> },
    ],
    // i18n: users:grant.filter.*
    filters: [
      { key: 'name', label: 'users:grant.filter.name' },
      { key: 'is_valid', label: 'users:grant.filter.is_valid', choices: YES_NO },
      { key: 'username', label: 'users:grant.filter.username' },
      { key: 'user_group', label: 'users:grant.filter.user_group' },
      { key: 'ip', label: 'users:grant.filter.ip' },
      { key: 'hostname', label: 'users:grant.filter.hostname' },
      { key: 'node', label: 'users:grant.filter.node' },
      { key: 'system_user', label: 'users:grant.filter.system_user' },
      {
        key: 'all',
        label: 'users:grant.filter.all',
        choices: [
          { value: '1', label: 'users:grant.filter.all_yes' },
          { value: '0', label: 'users:grant.filter.all_no' },
        ],
      },
    ],
    isInactive: (row) => !row.is_active,
  },
});
