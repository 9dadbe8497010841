import type { Section } from '#/lib/routes';
import { type ResourceScreens, resourceRecords } from '#/resource/routes';
import { groupRoutes, loginAclRoutes, serviceAccountRoutes, serviceKeyRoutes, userRoutes } from './addresses';

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
    // Without the lists: both are beside, on the list of users and on the page of their account.
    ...[
      { ...groupScreens, ...serviceAccountRoutes, load: async () => (await load()).serviceAccountPages },
      { ...groupScreens, ...serviceKeyRoutes, load: async () => (await load()).serviceKeyPages },
    ].flatMap((screens) => resourceRecords(screens).filter((record) => record.hidden)),
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
