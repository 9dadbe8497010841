import type { ResourceRoutes } from '#/resource/routes';

/** Names, addresses and titles of the area's screens, apart from the records that load them: screens lead to each other by these. */
export const userRoutes: ResourceRoutes = {
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
};

export const groupRoutes: ResourceRoutes = {
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
};
