import { usualRoutes } from '#/resource/routes';

/**
 * Names, addresses and titles of the asset screens. They are separate from the route records, so that screens can link
 * to each other without loading them.
 */
export const assetRoutes = usualRoutes({ name: 'Asset', path: '/assets/assets', titles: 'nav:asset_*' });

/** Creates a host with its account and access in one form. */
export const newHostPath = '/assets/new-host';

export const systemUserRoutes = usualRoutes({
  name: 'SystemUser',
  path: '/assets/system-users',
  titles: 'nav:system_user_*',
});

export const labelRoutes = usualRoutes({ name: 'Label', path: '/assets/labels', titles: 'nav:label_*' });

export const assetMorePath = '/assets/assets/detail/$id/update';
