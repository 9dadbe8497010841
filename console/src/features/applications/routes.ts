import type { ApplicationCategory } from '#/domain/application-kinds/kinds';
import type { RouteRecord, Section } from '#/lib/routes';
import { resourceRecords } from '#/resource/routes';
import { applicationRoutes } from './addresses';

function records(category: ApplicationCategory, more: { readonly licence?: boolean } = {}): RouteRecord[] {
  return resourceRecords({
    ...applicationRoutes[category],
    ...more,
    texts: ['applications', 'application-kinds'],
    find: { api: 'applications/applications/', query: { category }, name: 'name', detail: 'type_display' },
    load: async () => (await import('./screens')).applicationPages[category],
  });
}

export const applicationsSection: Section = {
  id: 'applications',
  title: 'nav:applications',
  icon: 'applications',
  path: '/applications',
  order: 35,
  routes: [...records('remote_app', { licence: true }), ...records('db'), ...records('cloud')],
};
