import type { Section } from '#/lib/routes';
import { type ResourceScreens, resourceRecords } from '#/resource/routes';

const load = () => import('./screens');

export const userScreens: ResourceScreens = {
  names: { list: 'UserList', create: 'UserCreate', update: 'UserUpdate', detail: 'UserDetail' },
  paths: {
    list: '/users/users',
    create: '/users/users/create',
    update: '/users/users/$id/update',
    detail: '/users/users/$id',
  },
  titles: {
    list: 'nav:user_list',
    create: 'nav:user_create',
    update: 'nav:user_update',
    detail: 'nav:user_detail',
  },
  texts: ['users'],
  find: { api: 'users/users/', name: 'name', detail: 'username' },
  load: async () => (await load()).userPages,
};

export const groupScreens: ResourceScreens = {
  names: {
    list: 'UserGroupList',
    create: 'UserGroupCreate',
    update: 'UserGroupUpdate',
    detail: 'UserGroupDetail',
  },
  paths: {
    list: '/users/groups',
    create: '/users/groups/create',
    update: '/users/groups/$id/update',
    detail: '/users/groups/$id',
  },
  titles: {
    list: 'nav:group_list',
    create: 'nav:group_create',
    update: 'nav:group_update',
    detail: 'nav:group_detail',
  },
  texts: ['users'],
  find: { api: 'users/groups/', name: 'name', detail: 'comment' },
  load: async () => (await load()).groupPages,
};

export const usersSection: Section = {
  id: 'users',
  title: 'nav:users',
  icon: 'users',
  path: '/users',
  order: 20,
  routes: [...resourceRecords(userScreens), ...resourceRecords(groupScreens)],
};
