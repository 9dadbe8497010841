import type { Section } from '#/lib/routes';
import { type ResourceScreens, resourceRecords } from '#/resource/routes';
import { groupRoutes, loginAclRoutes, userRoutes } from './addresses';

const load = () => import('./screens');

const userScreens: ResourceScreens = {
  ...userRoutes,
  texts: ['users', 'credentials', 'external'],
  find: { api: 'users/users/', name: 'name', detail: 'username' },
  load: async () => (await load()).userPages,
};

const groupScreens: ResourceScreens = {
  ...groupRoutes,
  texts: ['users', 'credentials'],
  find: { api: 'users/groups/', name: 'name', detail: 'comment' },
  load: async () => (await load()).groupPages,
};

const loginAclScreens: ResourceScreens = {
  ...loginAclRoutes,
  texts: ['users', 'credentials'],
  load: async () => (await load()).loginAclPages,
};

export const usersSection: Section = {
  id: 'users',
  title: 'nav:users',
  icon: 'users',
  path: '/users',
  order: 20,
  routes: [
    ...resourceRecords(userScreens),
    ...resourceRecords(groupScreens),
    ...resourceRecords(loginAclScreens).map((record) => ({ ...record, hidden: true })),
    {
      name: 'LockedSignIns',
      path: '/users/locks',
      title: 'nav:locks',
      texts: ['resource', 'users'],
      load: async () => (await import('./LocksPage')).LocksPage,
    },
  ],
};
