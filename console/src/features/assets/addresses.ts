import { type ResourceRoutes, usualRoutes } from '#/resource/routes';

/**
 * Names, addresses and titles of the asset screens. They are separate from the route records, so that screens can link
 * to each other without loading them.
 */
export const assetRoutes = usualRoutes({ name: 'Asset', path: '/assets/assets', titles: 'nav:asset_*' });

/** Creates a host with its account and access in one form. */
export const newHostPath = '/assets/new-host';

export const systemUserRoutes = usualRoutes({
  name: 'SystemUser',
  path: '/assets/system-users',
  titles: 'nav:system_user_*',
});

/** The tab of the list of system users that shows admin users. */
export const ADMIN_TAB = 'admin';

/** The list that shows system users of this type. */
export function systemUserListOf(type: string): string {
  return type === 'admin' ? `/assets/system-users?activeTab=${ADMIN_TAB}` : '/assets/system-users';
}

/** Admin users share the screens of system users. */
export const adminUserRoutes = usualRoutes({
  name: 'SystemUser',
  path: '/assets/system-users',
  titles: 'nav:admin_user_*',
});

export const domainRoutes = usualRoutes({ name: 'Domain', path: '/assets/domains', titles: 'nav:domain_*' });

/** The tab of a domain's page that lists its gateways. */
export function gatewaysOf(domainId: string): string {
  return `/assets/domains/${domainId}?activeTab=gateways`;
}

/** Gateways are listed on the page of their domain; they have no list of their own. */
export const gatewayRoutes: ResourceRoutes = {
  names: {
    list: 'DomainList',
    create: 'GatewayCreate',
    update: 'GatewayUpdate',
    detail: 'GatewayDetail',
  },
  paths: {
    list: '/assets/domains',
    create: '/assets/gateways/create',
    update: '/assets/gateways/$id/update',
    detail: '/assets/gateways/$id',
  },
  titles: {
    list: 'nav:gateway_list',
    create: 'nav:gateway_create',
    update: 'nav:gateway_update',
    detail: 'nav:gateway_detail',
  },
};

export const commandFilterRoutes = usualRoutes({
  name: 'CommandFilter',
  path: '/assets/cmd-filters',
  titles: 'nav:command_filter_*',
});

/** Screens of one rule; its filter is in the query: `?filter=<id>`. */
export const commandFilterRulePaths = {
  create: '/assets/command-filter-rules/create',
  update: '/assets/command-filter-rules/$id/update',
} as const;

export const labelRoutes = usualRoutes({ name: 'Label', path: '/assets/labels', titles: 'nav:label_*' });

export const platformRoutes = usualRoutes({
  name: 'Platform',
  path: '/assets/platforms',
  titles: 'nav:platform_*',
});

export const assetMorePath = '/assets/assets/detail/$id/update';
