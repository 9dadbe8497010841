import { APPLICATION_LISTS, type ApplicationCategory } from '#/domain/application-kinds/kinds';
import { type ResourceRoutes, usualRoutes } from '#/resource/routes';

/** Names, addresses and titles of the screens of each category. */
export const applicationRoutes: Readonly<Record<ApplicationCategory, ResourceRoutes>> = {
  remote_app: usualRoutes({
    name: 'RemoteApp',
    path: APPLICATION_LISTS.remote_app,
    titles: 'nav:remote_app_*',
  }),
  db: usualRoutes({ name: 'DatabaseApp', path: APPLICATION_LISTS.db, titles: 'nav:database_app_*' }),
  cloud: usualRoutes({
    name: 'KubernetesApp',
    path: APPLICATION_LISTS.cloud,
    titles: 'nav:kubernetes_app_*',
  }),
};
