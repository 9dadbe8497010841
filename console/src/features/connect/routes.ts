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
      // Administrators need permissions to reach assets, like everybody else.
      permission: 'any',
      hidden: true,
      frame: 'bare',
      texts: ['resource', 'connect', 'connecting', 'ssh-lines', 'entered-credentials'],
      load: () => import('./ConnectPage').then((module) => module.ConnectPage),
    },
  ],
};
