import { prepareList } from '#/resource/list/prepare-list';
import type { ScreenLoaders } from '#/resource/routes';
import { resourceScreens } from '#/resource/screens';
import { applicationPermission } from './application-permission.resource';
import { ApplicationPermissionListPage } from './ApplicationPermissionListPage';
import { applicationPlaceOf } from './place';

export const applicationPermissionPages: ScreenLoaders = {
  ...resourceScreens(applicationPermission),
  list: () => Promise.resolve(ApplicationPermissionListPage),
  prepare: (address) => prepareList(applicationPermission, address, applicationPlaceOf(address)),
};
