import { usualRoutes } from '#/resource/routes';

/**
 * Names, addresses and titles of the user screens. They are separate from the route records, so that screens can link
 * to each other without loading them.
 */
export const userRoutes = usualRoutes({ name: 'User', path: '/users/users', titles: 'nav:user_*' });

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
