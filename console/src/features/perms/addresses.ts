import { usualRoutes } from '#/resource/routes';

/**
 * Names, addresses and titles of the permission screens. They are separate from the route records, so that screens can
 * link to each other without loading them.
 */
export const assetPermissionRoutes = usualRoutes({
  name: 'AssetPermission',
  path: '/perms/asset-permissions',
  titles: 'nav:asset_permission_*',
});

export const applicationPermissionRoutes = usualRoutes({
  name: 'ApplicationPermission',
  path: '/perms/app-permissions',
  titles: 'nav:app_permission_*',
});
