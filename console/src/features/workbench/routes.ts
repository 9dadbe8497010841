import type { ApplicationCategory } from '#/domain/application-kinds/kinds';
import { fileManagerRecord } from '#/domain/web-files/record';
import { webTerminalRecord } from '#/domain/web-terminal/record';
import type { RouteRecord, Section } from '#/lib/routes';
import { myApplicationRoutes } from './my-application-routes';

export const workbenchSection: Section = {
  id: 'workbench',
  title: 'nav:my_assets',
  icon: 'my-assets',
  order: 15,
  routes: [
    {
      name: 'MyAssets',
      path: '/my-assets',
      title: 'nav:my_assets',
      permission: 'use',
      affix: true,
      find: {
        api: 'perms/users/assets/',
        name: 'hostname',
        detail: 'ip',
        opens: 'is_active',
        path: '/connect?asset=$id',
      },
      texts: ['resource', 'workbench'],
      load: () => import('./MyAssetsPage').then((module) => module.MyAssetsPage),
    },
  ],
};

/** On the user page. */
export const webTerminalSection: Section = {
  id: 'web-terminal',
  title: 'nav:connect',
  icon: 'terminal',
  order: 18,
  routes: [webTerminalRecord('MyWebTerminal', '/web-terminal', 'use')],
};

/** On the user page. */
export const fileManagerSection: Section = {
  id: 'file-manager',
  title: 'nav:files',
  icon: 'files',
  order: 19,
  routes: [fileManagerRecord('MyFileManager', '/file-manager', 'use')],
};

/** On the user page. */
export const credentialsSection: Section = {
  id: 'my-credentials',
  title: 'nav:my_credentials',
  icon: 'permissions',
  order: 17,
  routes: [
    {
      name: 'MyCredentials',
      path: '/my-credentials',
      title: 'nav:my_credentials',
      permission: 'use',
      texts: ['resource', 'entered-credentials', 'my-credentials'],
      load: () => import('./my-credentials/MyCredentialsPage').then((module) => module.MyCredentialsPage),
    },
  ],
};

function myApplications(category: ApplicationCategory, licence = false): RouteRecord {
  const { names, paths, titles } = myApplicationRoutes[category];
  return {
    name: names.list,
    path: paths.list,
    title: titles.list,
    permission: 'use',
    licence,
    texts: ['resource', 'workbench', 'application-kinds'],
    load: async () => {
      const { MyApplicationsPage } = await import('./MyApplicationsPage');
      return () => MyApplicationsPage({ category });
    },
  };
}

/** On the user page. */
export const myApplicationsSection: Section = {
  id: 'my-applications',
  title: 'nav:my_applications',
  icon: 'applications',
  path: '/apps',
  order: 16,
  routes: [myApplications('remote_app', true), myApplications('db'), myApplications('cloud')],
};
