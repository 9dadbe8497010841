import type { ResourceRoutes } from '#/resource/routes';

/** Names, addresses and titles of the area's screens, apart from the records that load them: screens lead to each other by these. */
export const assetPermissionRoutes: ResourceRoutes = {
  names: {
    list: 'AssetPermissionList',
    create: 'AssetPermissionCreate',
    update: 'AssetPermissionUpdate',
    detail: 'AssetPermissionDetail',
  },
  paths: {
    list: '/perms/asset-permissions',
    create: '/perms/asset-permissions/create',
    // Singular, as the contract has it.
    update: '/perms/asset-permissions/$id/update',
    detail: '/perms/asset-permissions/$id',
  },
  titles: {
    list: 'nav:asset_permission_list',
    create: 'nav:asset_permission_create',
    update: 'nav:asset_permission_update',
    detail: 'nav:asset_permission_detail',
  },
};
