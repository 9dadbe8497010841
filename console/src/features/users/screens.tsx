import { resourceScreens } from '#/resource/screens';
import { group } from './group.resource';
import { loginAcl } from './login-acls/login-acl.resource';
import { user } from './user.resource';

export const userPages = resourceScreens(user);
export const groupPages = resourceScreens(group);
export const loginAclPages = {
  ...resourceScreens(loginAcl),
  // The list needs a person.
  list: async () => (await import('./login-acls/LoginAclListPage')).LoginAclListPage,
  prepare: () => Promise.resolve(),
};
