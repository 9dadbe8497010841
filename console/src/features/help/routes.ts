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
      texts: ['help', 'ssh-lines', 'licence'],
      load: () => import('./HelpPage').then((module) => module.HelpPage),
    },
    {
      name: 'HelpGuide',
      path: '/help/$section/$name',
      title: 'nav:help_guide',
      permission: 'any',
      hidden: true,
      texts: ['help'],
      load: () => import('./GuidePage').then((module) => module.GuidePage),
    },
  ],
};
