import type { Section } from '#/lib/routes';

export const filesSection: Section = {
  id: 'files',
  title: 'nav:files',
  icon: 'files',
  order: 91,
  routes: [
    {
      name: 'Files',
      path: '/files',
      title: 'nav:files',
      // As the web terminal: everybody needs permissions to reach assets.
      permission: 'any',
      hidden: true,
      frame: 'bare',
      texts: ['resource', 'connecting', 'entered-credentials', 'files'],
      load: () => import('./FilesPage').then((module) => module.FilesPage),
    },
  ],
};
