import { usualRoutes } from '#/resource/routes';

/**
 * Names, addresses and titles of the user screens. They are separate from the route records, so that screens can link
 * to each other without loading them.
 */
export const userRoutes = usualRoutes({ name: 'User', path: '/users/users', titles: 'nav:user_*' });

export const groupRoutes = usualRoutes({ name: 'UserGroup', path: '/users/groups', titles: 'nav:group_*' });
