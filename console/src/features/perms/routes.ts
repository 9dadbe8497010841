import type { RouteRecord, Section } from '#/lib/routes';
import { type ResourceScreens, resourceRecords } from '#/resource/routes';
import { applicationPermissionRoutes, assetPermissionRoutes } from './addresses';

const assetPermissionScreens: ResourceScreens = {
  ...assetPermissionRoutes,
  texts: ['perms', 'access-preview'],
  find: { api: 'perms/asset-permissions/', name: 'name', detail: 'comment' },
  load: async () => (await import('./screens')).assetPermissionPages,
};

const applicationPermissionScreens: ResourceScreens = {
  ...applicationPermissionRoutes,
  texts: ['perms', 'access-preview', 'application-kinds'],
  find: { api: 'perms/application-permissions/', name: 'name', detail: 'type_display' },
  load: async () => (await import('./application-permission-screens')).applicationPermissionPages,
};

const reviewRecord: RouteRecord = {
  name: 'PermissionReview',
  path: '/perms/reviews',
  title: 'nav:permission_review',
  permission: 'Admin',
  texts: ['resource', 'reviews', 'application-kinds'],
  load: async () => (await import('./reviews/ReviewPage')).ReviewPage,
};

export const permsSection: Section = {
  id: 'perms',
  title: 'nav:perms',
  icon: 'permissions',
  path: '/perms',
  order: 40,
  routes: [
    ...resourceRecords(assetPermissionScreens),
    ...resourceRecords(applicationPermissionScreens),
    reviewRecord,
  ],
};
