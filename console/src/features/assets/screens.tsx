import { resourceScreens } from '#/resource/screens';
import { AssetListPage } from './AssetListPage';
import { assetMore } from './asset-more.resource';
import { asset } from './asset.resource';
import { label } from './label.resource';
import { systemUser } from './system-user.resource';

export const assetPages = { ...resourceScreens(asset), list: () => Promise.resolve(AssetListPage) };
export const assetMorePage = resourceScreens(assetMore).update;
export const systemUserPages = resourceScreens(systemUser);
export const labelPages = resourceScreens(label);
