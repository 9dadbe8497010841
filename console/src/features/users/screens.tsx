import { resourceScreens } from '#/resource/screens';
import { group } from './group.resource';
import { loginAcl } from './login-acls/login-acl.resource';
import { prepareList } from '#/resource/list/prepare-list';
import type { ScreenLoaders } from '#/resource/routes';
import { SERVICE_TAB } from './addresses';
import { PEOPLE, SERVICES } from './kinds';
import { serviceAccount } from './service-accounts/service-account.resource';
import { serviceKey } from './service-accounts/service-key.resource';
import { user } from './user.resource';
import { UserListPage } from './UserListPage';

export const userPages: ScreenLoaders = {
  ...resourceScreens(user),
  list: () => Promise.resolve(UserListPage),
  prepare: (address) =>
    address['activeTab'] === SERVICE_TAB
      ? prepareList(serviceAccount, address, SERVICES)
      : prepareList(user, address, PEOPLE),
};
export const serviceAccountPages = resourceScreens(serviceAccount);
export const serviceKeyPages = resourceScreens(serviceKey);
export const groupPages = resourceScreens(group);
export const loginAclPages = {
  ...resourceScreens(loginAcl),
  // The list needs a person.
  list: async () => (await import('./login-acls/LoginAclListPage')).LoginAclListPage,
  prepare: () => Promise.resolve(),
};
