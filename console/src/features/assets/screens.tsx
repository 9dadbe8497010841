import { resourceScreens } from '#/resource/screens';
import { AssetListPage } from './AssetListPage';
import { asset } from './asset.resource';
import { systemUser } from './system-user.resource';

export const assetPages = { ...resourceScreens(asset), list: () => Promise.resolve(AssetListPage) };
export const systemUserPages = resourceScreens(systemUser);
