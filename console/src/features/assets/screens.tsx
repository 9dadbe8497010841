import type { ComponentType } from 'react';
import { prepareList } from '#/resource/list/prepare-list';
import type { ScreenLoaders } from '#/resource/routes';
import { resourceScreens } from '#/resource/screens';
import { AssetListPage } from './AssetListPage';
import { asset } from './asset.resource';
import { placeOf, rememberedOnlyDirect } from './asset-place';

export const assetPages: ScreenLoaders = {
  ...resourceScreens(asset),
  list: () => Promise.resolve(AssetListPage),
  prepare: (address) => prepareList(asset, address, placeOf(address['node'], rememberedOnlyDirect())),
};
export const assetMorePage = async (): Promise<ComponentType> => {
  const { assetMore } = await import('./asset-more.resource');
  return resourceScreens(assetMore).update();
};
