import { expect, test } from 'vitest';
import { recordNamed } from './sections';

/** Names and addresses of the contract for the screens that exist; `:id` is `$id` here. */
const CONTRACT: readonly (readonly [string, string])[] = [
  ['UserProfile', '/users/profile'],
  ['PersonalInformationImprovement', '/users/first-login/personal-information-improvement/'],
  ['UserGuide', '/users/first-login/guide/'],
  ['UserList', '/users/users'],
  ['UserCreate', '/users/users/create'],
  ['UserUpdate', '/users/users/:id/update'],
  ['UserDetail', '/users/users/:id'],
  ['UserGroupList', '/users/groups'],
  ['UserGroupCreate', '/users/groups/create'],
  ['UserGroupUpdate', '/users/groups/:id/update'],
  ['UserGroupDetail', '/users/groups/:id'],
  ['AssetList', '/assets/assets'],
  ['AssetCreate', '/assets/assets/create'],
  ['AssetDetail', '/assets/assets/:id'],
  ['AssetUpdate', '/assets/assets/:id/update'],
  ['AssetMoreInformationEdit', '/assets/assets/detail/:id/update'],
  ['SystemUserList', '/assets/system-users'],
  ['SystemUserCreate', '/assets/system-users/create'],
  ['SystemUserDetail', '/assets/system-users/:id'],
  ['SystemUserUpdate', '/assets/system-users/:id/update'],
  ['LabelList', '/assets/labels'],
  ['LabelCreate', '/assets/labels/create'],
  ['LabelUpdate', '/assets/labels/:id/update'],
  ['AssetPermissionList', '/perms/asset-permissions'],
  ['AssetPermissionCreate', '/perms/asset-permissions/create'],
  ['AssetPermissionDetail', '/perms/asset-permissions/:id'],
  ['SessionList', '/terminal/session'],
  ['SessionDetail', '/terminal/sessions/:id'],
  ['LoginLog', '/audits/login-log'],
  ['FtpLog', '/audits/ftp-log'],
  ['OperateLog', '/audits/operate-log'],
  ['OrganizationList', '/xpack/orgs'],
  ['OrganizationCreate', '/xpack/orgs/create'],
  ['OrganizationUpdate', '/xpack/orgs/:id/update'],
  ['OrganizationDetail', '/xpack/orgs/:id'],
];
/** A slash at the end is the same address. */
const plain = (path: string | undefined) => path?.replace(':id', '$id').replace(/\/$/, '');

test.each(CONTRACT)('[S2-172] %s stands at the path of the contract, %s', (name, path) => {
  expect(plain(recordNamed(name)?.path)).toBe(plain(path));
});
