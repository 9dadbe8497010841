import { prepareList } from '#/resource/list/prepare-list';
import type { ScreenLoaders } from '#/resource/routes';
import { resourceScreens } from '#/resource/screens';
import { ADMIN_TAB } from './addresses';
import { adminUser, COMMON, systemUser } from './system-user.resource';
import { SystemUserListPage } from './SystemUserListPage';

export const systemUserPages: ScreenLoaders = {
  ...resourceScreens(systemUser),
  list: () => Promise.resolve(SystemUserListPage),
  prepare: (address) =>
    address['activeTab'] === ADMIN_TAB
      ? prepareList(adminUser, address)
      : prepareList(systemUser, address, COMMON),
  create: async () => (await import('./SystemUserCreatePage')).SystemUserCreatePage,
};
