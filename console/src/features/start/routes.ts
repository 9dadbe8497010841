import type { Section } from '#/lib/routes';

export const startSection: Section = {
  id: 'start',
  title: 'nav:start',
  icon: 'dashboard',
  order: 5,
  routes: [
    {
      name: 'FirstRun',
      path: '/start',
      title: 'nav:start',
      hidden: true,
      texts: ['resource', 'start', 'new-host', 'ssh-lines'],
      load: () => import('./StartPage').then((module) => module.StartPage),
    },
  ],
};
