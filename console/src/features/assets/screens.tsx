import { prepareList } from '#/resource/list/prepare-list';
import type { ScreenLoaders } from '#/resource/routes';
import { resourceScreens } from '#/resource/screens';
import { AssetListPage } from './AssetListPage';
import { assetMore } from './asset-more.resource';
import { asset } from './asset.resource';
import { placeOf, rememberedOnlyDirect } from './asset-place';
import { domain } from './domain.resource';
import { gateway } from './gateway.resource';
import { commandFilter } from './command-filters/command-filter.resource';
import { label } from './label.resource';
import { ADMIN_TAB } from './addresses';
import { SystemUserListPage } from './SystemUserListPage';
import { adminUser, COMMON, systemUser } from './system-user.resource';

export const assetPages: ScreenLoaders = {
  ...resourceScreens(asset),
  list: () => Promise.resolve(AssetListPage),
  prepare: (address) => prepareList(asset, address, placeOf(address['node'], rememberedOnlyDirect())),
};
export const assetMorePage = resourceScreens(assetMore).update;
export const domainPages = resourceScreens(domain);
export const gatewayPages = resourceScreens(gateway);
export const systemUserPages: ScreenLoaders = {
  ...resourceScreens(systemUser),
  list: () => Promise.resolve(SystemUserListPage),
  prepare: (address) =>
    address['activeTab'] === ADMIN_TAB
      ? prepareList(adminUser, address)
      : prepareList(systemUser, address, COMMON),
  create: async () => (await import('./SystemUserCreatePage')).SystemUserCreatePage,
};
export const commandFilterPages = resourceScreens(commandFilter);
export const labelPages = resourceScreens(label);
