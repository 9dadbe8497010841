import type { ResourceRoutes } from '#/resource/routes';

/** Names, addresses and titles of the area's screens, apart from the records that load them: screens lead to each other by these. */
export const organizationRoutes: ResourceRoutes = {
  names: {
    list: 'OrganizationList',
    create: 'OrganizationCreate',
    update: 'OrganizationUpdate',
    detail: 'OrganizationDetail',
  },
  paths: {
    list: '/xpack/orgs',
    create: '/xpack/orgs/create',
    update: '/xpack/orgs/$id/update',
    detail: '/xpack/orgs/$id',
  },
  titles: {
    list: 'nav:organization_list',
    create: 'nav:organization_create',
    update: 'nav:organization_update',
    detail: 'nav:organization_detail',
  },
};
