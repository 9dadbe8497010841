import { resourceScreens } from '#/resource/screens';
import { assetPermission } from './asset-permission.resource';
import { AssetPermissionListPage } from './AssetPermissionListPage';

export const assetPermissionPages = {
  ...resourceScreens(assetPermission),
  list: () => Promise.resolve(AssetPermissionListPage),
};
