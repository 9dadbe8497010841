import type { ApplicationCategory } from '#/domain/application-kinds/kinds';
import { paths } from '#/lib/paths';
import { type ResourceRoutes, usualRoutes } from '#/resource/routes';

/** Names, addresses and titles of the screens of each category. */
export const applicationRoutes: Readonly<Record<ApplicationCategory, ResourceRoutes>> = {
  remote_app: usualRoutes({
    name: 'RemoteApp',
    path: paths.applications.remote_app,
    titles: 'nav:remote_app_*',
  }),
  db: usualRoutes({ name: 'DatabaseApp', path: paths.applications.db, titles: 'nav:database_app_*' }),
  cloud: usualRoutes({
    name: 'KubernetesApp',
    path: paths.applications.cloud,
    titles: 'nav:kubernetes_app_*',
  }),
};
