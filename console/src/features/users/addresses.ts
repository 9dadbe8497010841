import { usualRoutes } from '#/resource/routes';

/**
 * Names, addresses and titles of the user screens. They are separate from the route records, so that screens can link
 * to each other without loading them.
 */
export const userRoutes = usualRoutes({ name: 'User', path: '/users/users', titles: 'nav:user_*' });

/** The tab of the list of users that shows service accounts. */
export const SERVICE_TAB = 'service-accounts';

/** Service accounts are listed beside people, and their keys on their page; the other screens are their own. */
function besidePeople(...[routes]: Parameters<typeof usualRoutes>) {
  const usual = usualRoutes(routes);
  return {
    ...usual,
    names: { ...usual.names, list: 'UserList' },
    titles: { ...usual.titles, list: 'nav:user_list' },
    paths: { ...usual.paths, list: `/users/users?activeTab=${SERVICE_TAB}` },
  };
}

export const serviceAccountRoutes = besidePeople({
  name: 'ServiceAccount',
  path: '/users/service-accounts',
  titles: 'nav:service_account_*',
});

export const serviceKeyRoutes = besidePeople({
  name: 'ServiceKey',
  path: '/users/service-account-keys',
  titles: 'nav:service_key_*',
  screens: ['create', 'update'],
});

export const groupRoutes = usualRoutes({ name: 'UserGroup', path: '/users/groups', titles: 'nav:group_*' });

/** Login ACLs are listed on the page of their person; the menu does not show them. */
export const loginAclRoutes = usualRoutes({
  name: 'UserAcl',
  path: '/users/user-acl',
  titles: 'nav:user_acl_*',
});
