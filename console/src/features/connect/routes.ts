import type { Section } from '#/lib/routes';

export const connectSection: Section = {
  id: 'connect',
  title: 'nav:connect',
  icon: 'my-assets',
  order: 90,
  routes: [
    {
      name: 'Connect',
      path: '/connect',
      title: 'nav:connect',
      // Administrators reach assets as well, by permissions like everybody else.
      permission: 'any',
      hidden: true,
      frame: 'bare',
      texts: ['connect', 'ssh-lines'],
      load: () => import('./ConnectPage').then((module) => module.ConnectPage),
    },
  ],
};
