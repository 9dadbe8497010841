import type { RouteRecord, Section } from '#/lib/routes';
import { type ResourceScreens, resourceRecords } from '#/resource/routes';
import { assetMorePath, assetRoutes, labelRoutes, newHostPath, systemUserRoutes } from './addresses';

const load = () => import('./screens');

const assetScreens: ResourceScreens = {
  ...assetRoutes,
  texts: ['assets', 'node-search'],
  find: {
    api: 'assets/assets/',
    name: 'hostname',
    detail: 'ip',
    connect: { api: 'perms/users/assets/', path: '/connect?asset=$id' },
  },
  load: async () => (await load()).assetPages,
};

const systemUserScreens: ResourceScreens = {
  ...systemUserRoutes,
  texts: ['assets'],
  find: { api: 'assets/system-users/', name: 'name', detail: 'username' },
  load: async () => (await load()).systemUserPages,
};

const labelScreens: ResourceScreens = {
  ...labelRoutes,
  texts: ['assets'],
  load: async () => (await load()).labelPages,
};

const assetMoreRecord: RouteRecord = {
  name: 'AssetMoreInformationEdit',
  path: assetMorePath,
  title: 'nav:asset_more',
  hidden: true,
  parent: 'AssetList',
  texts: ['resource', 'assets'],
  load: async () => (await load()).assetMorePage(),
};

const newHostRecord: RouteRecord = {
  name: 'NewHost',
  path: newHostPath,
  title: 'nav:new_host',
  hidden: true,
  parent: 'AssetList',
  texts: ['resource', 'assets', 'new-host'],
  load: async () => (await import('./NewHostPage')).NewHostPage,
};

export const assetsSection: Section = {
  id: 'assets',
  title: 'nav:assets',
  icon: 'assets',
  path: '/assets',
  order: 30,
  routes: [
    ...resourceRecords(assetScreens),
    newHostRecord,
    assetMoreRecord,
    ...resourceRecords(systemUserScreens),
    ...resourceRecords(labelScreens),
  ],
};
