import type { Section } from '#/lib/routes';

const TEXTS = ['sessions', 'resource'] as const;

export const sessionsSection: Section = {
  id: 'sessions',
  title: 'nav:sessions',
  icon: 'sessions',
  path: '/terminal',
  order: 50,
  routes: [
    {
      name: 'SessionList',
      path: '/terminal/session',
      title: 'nav:session_list',
      permission: 'audit',
      texts: TEXTS,
      load: () => import('./SessionListPage').then((module) => module.SessionListPage),
    },
    {
      name: 'SessionDetail',
      path: '/terminal/sessions/$id',
      title: 'nav:session_detail',
      permission: 'audit',
      hidden: true,
      parent: 'SessionList',
      texts: TEXTS,
      load: () => import('./SessionDetailPage').then((module) => module.SessionDetailPage),
    },
  ],
};
