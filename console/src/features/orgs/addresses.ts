import { usualRoutes } from '#/resource/routes';

/**
 * Names, addresses and titles of the organization screens. They are separate from the route records, so that screens
 * can link to each other without loading them.
 */
export const organizationRoutes = usualRoutes({
  name: 'Organization',
  path: '/xpack/orgs',
  titles: 'nav:organization_*',
});
