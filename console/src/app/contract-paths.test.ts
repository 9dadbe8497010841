import { expect, test } from 'vitest';
import { records } from './sections';

/**
 * Screen names, paths and rights of the contract (`contract/screens.md`). Where it differs from the specification, the
 * specification's path.
 */
const CONTRACT: readonly (readonly [
  name: string,
  path: string,
  right?: 'any' | 'audit' | 'super' | 'use',
])[] = [
  ['UserProfile', '/users/profile', 'any'],
  ['PersonalInformationImprovement', '/users/first-login/personal-information-improvement', 'any'],
  ['UserGuide', '/users/first-login/guide', 'any'],
  ['UserList', '/users/users'],
  ['UserCreate', '/users/users/create'],
  ['UserUpdate', '/users/users/$id/update'],
  ['UserDetail', '/users/users/$id'],
  ['UserGroupList', '/users/groups'],
  ['UserGroupCreate', '/users/groups/create'],
  ['UserGroupUpdate', '/users/groups/$id/update'],
  ['UserGroupDetail', '/users/groups/$id'],
  ['UserAclList', '/users/user-acl'],
  ['UserAclCreate', '/users/user-acl/create'],
  ['UserAclUpdate', '/users/user-acl/$id/update'],
  ['UserAclDetail', '/users/user-acl/$id'],
  ['AssetList', '/assets/assets'],
  ['AssetCreate', '/assets/assets/create'],
  ['AssetDetail', '/assets/assets/$id'],
  ['AssetUpdate', '/assets/assets/$id/update'],
  ['AssetMoreInformationEdit', '/assets/assets/detail/$id/update'],
  ['DomainList', '/assets/domains'],
  ['DomainCreate', '/assets/domains/create'],
  ['DomainUpdate', '/assets/domains/$id/update'],
  ['DomainDetail', '/assets/domains/$id'],
  ['GatewayCreate', '/assets/gateways/create'],
  ['GatewayUpdate', '/assets/gateways/$id/update'],
  ['SystemUserList', '/assets/system-users'],
  ['SystemUserCreate', '/assets/system-users/create'],
  ['SystemUserUpdate', '/assets/system-users/$id/update'],
  ['SystemUserDetail', '/assets/system-users/$id'],
  ['CommandFilterList', '/assets/cmd-filters'],
  ['CommandFilterCreate', '/assets/cmd-filters/create'],
  ['CommandFilterUpdate', '/assets/cmd-filters/$id/update'],
  ['CommandFilterDetail', '/assets/cmd-filters/$id'],
  ['CommandFilterRulesCreate', '/assets/command-filter-rules/create'],
  ['CommandFilterRulesUpdate', '/assets/command-filter-rules/$id/update'],
  ['PlatformList', '/assets/platforms', 'super'],
  ['PlatformCreate', '/assets/platforms/create', 'super'],
  ['PlatformUpdate', '/assets/platforms/$id/update', 'super'],
  ['PlatformDetail', '/assets/platforms/$id', 'super'],
  ['LabelList', '/assets/labels'],
  ['LabelCreate', '/assets/labels/create'],
  ['LabelUpdate', '/assets/labels/$id/update'],
  ['RemoteAppList', '/applications/remote-apps'],
  ['RemoteAppCreate', '/applications/remote-apps/create'],
  ['RemoteAppUpdate', '/applications/remote-apps/$id/update'],
  ['RemoteAppDetail', '/applications/remote-apps/$id'],
  ['DatabaseAppList', '/applications/databases'],
  ['DatabaseAppCreate', '/applications/databases/create'],
  ['DatabaseAppUpdate', '/applications/databases/$id/update'],
  ['DatabaseAppDetail', '/applications/databases/$id'],
  ['KubernetesAppList', '/applications/kubernetes'],
  ['KubernetesAppCreate', '/applications/kubernetes/create'],
  ['KubernetesAppUpdate', '/applications/kubernetes/$id/update'],
  ['KubernetesAppDetail', '/applications/kubernetes/$id'],
  ['MyRemoteApps', '/apps/remoteapp', 'use'],
  // The contract misspells the name.
  ['MyDatabases', '/apps/database', 'use'],
  ['MyKubernetes', '/apps/kubernetes', 'use'],
  ['AssetPermissionList', '/perms/asset-permissions'],
  ['AssetPermissionCreate', '/perms/asset-permissions/create'],
  // The contract uses the singular here, the specification the plural.
  ['AssetPermissionUpdate', '/perms/asset-permissions/$id/update'],
  ['AssetPermissionDetail', '/perms/asset-permissions/$id'],
  ['ApplicationPermissionList', '/perms/app-permissions'],
  ['ApplicationPermissionCreate', '/perms/app-permissions/create'],
  ['ApplicationPermissionUpdate', '/perms/app-permissions/$id/update'],
  ['ApplicationPermissionDetail', '/perms/app-permissions/$id'],
  ['Dashboard', '/dashboard', 'audit'],
  ['SessionList', '/terminal/session', 'audit'],
  ['CommandList', '/terminal/command', 'audit'],
  ['SessionDetail', '/terminal/sessions/$id', 'audit'],
  ['TerminalList', '/terminal/terminal', 'super'],
  ['TerminalDetail', '/terminal/terminal/$id', 'super'],
  ['TerminalUpdate', '/terminal/terminal/$id/update', 'super'],
  ['Storage', '/terminal/storages', 'super'],
  ['CreateReplayStorage', '/terminal/replay-storage/create', 'super'],
  ['ReplayStorageUpdate', '/terminal/replay-storage/$id/update', 'super'],
  ['CreateCommandStorage', '/terminal/command-storage/create', 'super'],
  ['CommandStorageUpdate', '/terminal/command-storage/$id/update', 'super'],
  ['OperateLog', '/audits/operate-log', 'audit'],
  ['PasswordChangeLog', '/audits/password-change-log', 'audit'],
  ['LoginLog', '/audits/login-log', 'audit'],
  ['BatchCommandLog', '/audits/command-execution-log', 'audit'],
  ['BatchCommand', '/ops/command-executions/create'],
  ['CommandExecutions', '/command-executions', 'use'],
  ['FtpLog', '/audits/ftp-log', 'audit'],
  ['TaskList', '/ops/tasks'],
  ['TaskDetail', '/ops/tasks/$id'],
  ['AdhocDetail', '/ops/adhoc/$id'],
  ['HistoryExecutionDetail', '/ops/executions/$id'],
  ['CeleryTaskLog', '/ops/celery/task/$id/log', 'any'],
  ['TaskLog', '/ops/task/task/$id/log', 'any'],
  ['Settings', '/settings', 'super'],
  ['OrganizationList', '/xpack/orgs', 'super'],
  ['OrganizationCreate', '/xpack/orgs/create', 'super'],
  ['OrganizationUpdate', '/xpack/orgs/$id/update', 'super'],
  ['OrganizationDetail', '/xpack/orgs/$id', 'super'],
];

/** Our own screens that the contract does not list, or lists at another path. */
const OWN = new Set([
  'AuditEventList',
  'BatchCommandLogDetail',
  'Connect',
  'FileManager',
  'Files',
  'FirstRun',
  'GatewayDetail',
  'Help',
  'HelpGuide',
  'LabelDetail',
  'LockedSignIns',
  'MyAssets',
  'MyCredentials',
  'MyFileManager',
  'MyWebTerminal',
  'NewHost',
  'PermissionReview',
  'PeriodicTaskList',
  'RecordingSearch',
  'SiteMessageList',
  'ServiceAccountCreate',
  'ServiceAccountDetail',
  'ServiceAccountUpdate',
  'ServiceKeyCreate',
  'ServiceKeyUpdate',
  'TaskCreate',
  'TaskMonitor',
  'TaskUpdate',
  'WebTerminal',
]);

test.each(CONTRACT)('[S2-172] %s has the path given in the contract', (name, path, right) => {
  const record = records.find((candidate) => candidate.name === name);
  expect(record?.path).toBe(path);
  expect(record?.permission).toBe(right);
});

test('[S2-172] every screen is in the contract or in the list of own screens', () => {
  const known = new Set(CONTRACT.map(([name]) => name));
  // A resource whose list the contract does not have is our own with all its screens.
  const lists = new Set(records.flatMap((record) => record.parent ?? []).filter((name) => !known.has(name)));
  const unlisted = records
    .filter((record) => !lists.has(record.name) && !lists.has(record.parent ?? ''))
    .map((record) => record.name)
    .filter((name) => !known.has(name) && !OWN.has(name));
  expect(
    unlisted,
    'screens that the contract does not have belong into OWN, at the top of this file',
  ).toEqual([]);
});
