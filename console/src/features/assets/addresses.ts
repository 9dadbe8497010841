import type { ResourceRoutes } from '#/resource/routes';

/** Names, addresses and titles of the area's screens, apart from the records that load them: screens lead to each other by these. */
export const assetRoutes: ResourceRoutes = {
  names: { list: 'AssetList', create: 'AssetCreate', update: 'AssetUpdate', detail: 'AssetDetail' },
  paths: {
    list: '/assets/assets',
    create: '/assets/assets/create',
    update: '/assets/assets/$id/update',
    detail: '/assets/assets/$id',
  },
  titles: {
    list: 'nav:asset_list',
    create: 'nav:asset_create',
    update: 'nav:asset_update',
    detail: 'nav:asset_detail',
  },
};

/** A host with account and access in one form. */
export const newHostPath = '/assets/new-host';

export const systemUserRoutes: ResourceRoutes = {
  names: {
    list: 'SystemUserList',
    create: 'SystemUserCreate',
    update: 'SystemUserUpdate',
    detail: 'SystemUserDetail',
  },
  paths: {
    list: '/assets/system-users',
    create: '/assets/system-users/create',
    update: '/assets/system-users/$id/update',
    detail: '/assets/system-users/$id',
  },
  titles: {
    list: 'nav:system_user_list',
    create: 'nav:system_user_create',
    update: 'nav:system_user_update',
    detail: 'nav:system_user_detail',
  },
};

export const labelRoutes: ResourceRoutes = {
  names: { list: 'LabelList', create: 'LabelCreate', update: 'LabelUpdate', detail: 'LabelDetail' },
  paths: {
    list: '/assets/labels',
    create: '/assets/labels/create',
    update: '/assets/labels/$id/update',
    detail: '/assets/labels/$id',
  },
  titles: {
    list: 'nav:label_list',
    create: 'nav:label_create',
    update: 'nav:label_update',
    detail: 'nav:label_detail',
  },
};

export const assetMorePath = '/assets/assets/detail/$id/update';
