import type { Section } from '#/lib/routes';
import { type ResourceScreens, resourceRecords } from '#/resource/routes';

export const assetPermissionScreens: ResourceScreens = {
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
    update: '/perms/asset-permission/$id/update',
    detail: '/perms/asset-permissions/$id',
  },
  titles: {
    list: 'nav:asset_permission_list',
    create: 'nav:asset_permission_create',
    update: 'nav:asset_permission_update',
    detail: 'nav:asset_permission_detail',
  },
  texts: ['perms'],
  find: { api: 'perms/asset-permissions/', name: 'name', detail: 'comment' },
  load: async () => (await import('./screens')).assetPermissionPages,
};

export const permsSection: Section = {
  id: 'perms',
  title: 'nav:perms',
  icon: 'permissions',
  path: '/perms',
  order: 40,
  routes: resourceRecords(assetPermissionScreens),
};
