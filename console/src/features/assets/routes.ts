import type { RouteRecord, Section } from '#/lib/routes';
import { type ResourceScreens, resourceRecords } from '#/resource/routes';
import {
  assetMorePath,
  assetRoutes,
  domainRoutes,
  gatewayRoutes,
  commandFilterRoutes,
  commandFilterRulePaths,
  labelRoutes,
  newHostPath,
  platformRoutes,
  systemUserRoutes,
} from './addresses';

const load = () => import('./screens');

const assetScreens: ResourceScreens = {
  ...assetRoutes,
  texts: ['assets', 'node-search'],
  find: {
    api: 'assets/assets/',
    name: 'hostname',
    detail: 'ip',
    connect: { api: 'perms/users/assets/', path: '/connect?asset=$id' },
  },
  load: async () => (await load()).assetPages,
};

const domainScreens: ResourceScreens = {
  ...domainRoutes,
  texts: ['assets'],
  find: { api: 'assets/domains/', name: 'name' },
  load: async () => (await import('./domain-screens')).domainPages,
};

const gatewayScreens: ResourceScreens = {
  ...gatewayRoutes,
  texts: ['assets'],
  load: async () => (await import('./domain-screens')).gatewayPages,
};

const systemUserScreens: ResourceScreens = {
  ...systemUserRoutes,
  texts: ['assets', 'command-filters'],
  find: { api: 'assets/system-users/', name: 'name', detail: 'username' },
  load: async () => (await import('./system-user-screens')).systemUserPages,
};

const commandFilterScreens: ResourceScreens = {
  ...commandFilterRoutes,
  texts: ['assets', 'command-filters'],
  find: { api: 'assets/cmd-filters/', name: 'name' },
  load: async () => (await import('./command-filter-screens')).commandFilterPages,
};

const ruleRecords: readonly RouteRecord[] = (['create', 'update'] as const).map((mode) => ({
  name: mode === 'create' ? 'CommandFilterRulesCreate' : 'CommandFilterRulesUpdate',
  path: commandFilterRulePaths[mode],
  title: mode === 'create' ? 'nav:command_filter_rule_create' : 'nav:command_filter_rule_update',
  hidden: true,
  parent: 'CommandFilterList',
  texts: ['resource', 'assets', 'command-filters'],
  load: async () => {
    const { RuleFormPage } = await import('./command-filters/RuleFormPage');
    return () => RuleFormPage({ mode });
  },
}));

const platformScreens: ResourceScreens = {
  ...platformRoutes,
  permission: 'super',
  texts: ['assets'],
  find: { api: 'assets/platforms/', name: 'name', detail: 'base' },
  load: async () => (await import('./platform-screens')).platformPages,
};

const labelScreens: ResourceScreens = {
  ...labelRoutes,
  texts: ['assets'],
  load: async () => (await import('./label-screens')).labelPages,
};

const assetMoreRecord: RouteRecord = {
  name: 'AssetMoreInformationEdit',
  path: assetMorePath,
  title: 'nav:asset_more',
  hidden: true,
  parent: 'AssetList',
  texts: ['resource', 'assets'],
  load: async () => (await load()).assetMorePage(),
};

const newHostRecord: RouteRecord = {
  name: 'NewHost',
  path: newHostPath,
  title: 'nav:new_host',
  hidden: true,
  parent: 'AssetList',
  texts: ['resource', 'assets', 'new-host'],
  load: async () => (await import('./NewHostPage')).NewHostPage,
};

export const assetsSection: Section = {
  id: 'assets',
  title: 'nav:assets',
  icon: 'assets',
  path: '/assets',
  order: 30,
  routes: [
    ...resourceRecords(assetScreens),
    newHostRecord,
    assetMoreRecord,
    ...resourceRecords(domainScreens),
    // Without the list: gateways are listed on the page of their domain.
    ...resourceRecords(gatewayScreens).filter((record) => record.hidden),
    ...resourceRecords(systemUserScreens),
    ...resourceRecords(commandFilterScreens),
    ...ruleRecords,
    ...resourceRecords(platformScreens),
    ...resourceRecords(labelScreens),
  ],
};
