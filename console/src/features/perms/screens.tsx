import { prepareList } from '#/resource/list/prepare-list';
import type { ScreenLoaders } from '#/resource/routes';
import { resourceScreens } from '#/resource/screens';
import { assetPermission } from './asset-permission.resource';
import { AssetPermissionListPage } from './AssetPermissionListPage';
import { placeOf } from './place';

export const assetPermissionPages: ScreenLoaders = {
  ...resourceScreens(assetPermission),
  list: () => Promise.resolve(AssetPermissionListPage),
  prepare: (address) => prepareList(assetPermission, address, placeOf(address)),
};
