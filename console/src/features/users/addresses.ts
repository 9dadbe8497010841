import { type ResourceRoutes, usualRoutes } from '#/resource/routes';

/**
 * Names, addresses and titles of the user screens. They are separate from the route records, so that screens can link
 * to each other without loading them.
 */
export const userRoutes = usualRoutes({ name: 'User', path: '/users/users', titles: 'nav:user_*' });

/** The tab of the list of users that shows service accounts. */
export const SERVICE_TAB = 'service-accounts';

/** Service accounts are listed beside people; form and page are their own. */
export const serviceAccountRoutes: ResourceRoutes = {
  names: {
    list: 'UserList',
    create: 'ServiceAccountCreate',
    update: 'ServiceAccountUpdate',
    detail: 'ServiceAccountDetail',
  },
  paths: {
    list: `/users/users?activeTab=${SERVICE_TAB}`,
    create: '/users/service-accounts/create',
    update: '/users/service-accounts/$id/update',
    detail: '/users/service-accounts/$id',
  },
  titles: {
    list: 'nav:service_account_list',
    create: 'nav:service_account_create',
    update: 'nav:service_account_update',
    detail: 'nav:service_account_detail',
  },
};

/** The tab of a service account's page that lists its access keys. */
export function keysOf(accountId: string): string {
  return `/users/service-accounts/${accountId}?activeTab=keys`;
}

/** Access keys are listed on the page of their service account; they have no list and no page of their own. */
export const serviceKeyRoutes: ResourceRoutes = {
  names: { list: 'UserList', create: 'ServiceKeyCreate', update: 'ServiceKeyUpdate' },
  paths: {
    list: `/users/users?activeTab=${SERVICE_TAB}`,
    create: '/users/service-account-keys/create',
    update: '/users/service-account-keys/$id/update',
  },
  titles: {
    list: 'nav:service_key_list',
    create: 'nav:service_key_create',
    update: 'nav:service_key_update',
  },
};

export const groupRoutes = usualRoutes({ name: 'UserGroup', path: '/users/groups', titles: 'nav:group_*' });

/** Login ACLs are listed on the page of their person; the menu does not show them. */
export const loginAclRoutes = usualRoutes({
  name: 'UserAcl',
  path: '/users/user-acl',
  titles: 'nav:user_acl_*',
});

export function loginAclsOf(userId: string): string {
  return `/users/users/${userId}?activeTab=login-acls`;
}
