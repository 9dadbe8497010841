import type { Section } from '#/lib/routes';

export const helpSection: Section = {
  id: 'help',
  title: 'nav:help',
  icon: 'help',
  order: 85,
  routes: [
    {
      name: 'Help',
      path: '/help',
      title: 'nav:help',
      permission: 'any',
      hidden: true,
      texts: ['help'],
      load: () => import('./HelpPage').then((module) => module.HelpPage),
    },
  ],
};
