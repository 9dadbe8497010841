import type { Section } from '#/lib/routes';
import { type ResourceScreens, resourceRecords } from '#/resource/routes';
import { openidRoutes, samlRoutes } from './addresses';

const openidScreens: ResourceScreens = {
  ...openidRoutes,
  permission: 'super',
  texts: ['settings'],
  load: async () => (await import('./screens')).openidPages,
};

const samlScreens: ResourceScreens = {
  ...samlRoutes,
  permission: 'super',
  texts: ['settings'],
  load: async () => (await import('./screens')).samlPages,
};

export const settingsSection: Section = {
  id: 'settings',
  title: 'nav:settings',
  icon: 'settings',
  order: 72,
  routes: [
    {
      name: 'Settings',
      path: '/settings',
      title: 'nav:settings',
      permission: 'super',
      texts: ['resource', 'settings', 'licence'],
      load: () => import('./SettingsPage').then((module) => module.SettingsPage),
    },
    ...[...resourceRecords(openidScreens), ...resourceRecords(samlScreens)].map((record) => ({
      ...record,
      hidden: true,
    })),
  ],
};
