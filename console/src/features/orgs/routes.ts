import type { Section } from '#/lib/routes';
import { type ResourceScreens, resourceRecords } from '#/resource/routes';
import { organizationRoutes } from './addresses';

const organizationScreens: ResourceScreens = {
  ...organizationRoutes,
  permission: 'super',
  licence: true,
  texts: ['orgs'],
  find: { api: 'orgs/orgs/', name: 'name', detail: 'comment' },
  load: async () => (await import('./screens')).organizationPages,
};

/** The licensed extension. */
export const extensionSection: Section = {
  id: 'xpack',
  title: 'nav:extension',
  icon: 'extension',
  path: '/xpack',
  order: 70,
  grouped: true,
  routes: resourceRecords(organizationScreens),
};
