import type { RouteRecord, Section } from '#/lib/routes';
import { type ResourceScreens, resourceRecords } from '#/resource/routes';

const load = () => import('./screens');

export const assetScreens: ResourceScreens = {
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
  texts: ['assets', 'node-search'],
  find: { api: 'assets/assets/', name: 'hostname', detail: 'ip', connect: '/connect?asset=$id' },
  load: async () => (await load()).assetPages,
};

export const systemUserScreens: ResourceScreens = {
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
  texts: ['assets'],
  find: { api: 'assets/system-users/', name: 'name', detail: 'username' },
  load: async () => (await load()).systemUserPages,
};

export const labelScreens: ResourceScreens = {
  names: { list: 'LabelList', create: 'LabelCreate', update: 'LabelUpdate' },
  paths: {
    list: '/assets/labels',
    create: '/assets/labels/create',
    update: '/assets/labels/$id/update',
  },
  titles: { list: 'nav:label_list', create: 'nav:label_create', update: 'nav:label_update' },
  texts: ['assets'],
  load: async () => (await load()).labelPages,
};

export const assetMorePath = '/assets/assets/detail/$id/update';

const assetMoreRecord: RouteRecord = {
  name: 'AssetMoreInformationEdit',
  path: assetMorePath,
  title: 'nav:asset_more',
  hidden: true,
  parent: 'AssetList',
  texts: ['resource', 'assets'],
  load: async () => (await load()).assetMorePage(),
};

export const assetsSection: Section = {
  id: 'assets',
  title: 'nav:assets',
  icon: 'assets',
  path: '/assets',
  order: 30,
  routes: [
    ...resourceRecords(assetScreens),
    assetMoreRecord,
    ...resourceRecords(systemUserScreens),
    ...resourceRecords(labelScreens),
  ],
};
