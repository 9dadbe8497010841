import type { Section } from '#/lib/routes';

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
  ],
};
