import type { ApplicationCategory } from '#/domain/application-kinds/kinds';
import type { ResourceRoutes } from '#/resource/routes';

/** The pages of a person's own applications: a list for each category. */
export const myApplicationRoutes: Readonly<Record<ApplicationCategory, ResourceRoutes>> = {
  remote_app: {
    names: { list: 'MyRemoteApps' },
    paths: { list: '/apps/remoteapp' },
    titles: { list: 'nav:my_remote_apps' },
  },
  db: {
    names: { list: 'MyDatabases' },
    paths: { list: '/apps/database' },
    titles: { list: 'nav:my_databases' },
  },
  cloud: {
    names: { list: 'MyKubernetes' },
    paths: { list: '/apps/kubernetes' },
    titles: { list: 'nav:my_kubernetes' },
  },
};
