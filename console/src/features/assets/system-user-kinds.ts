import type { Api } from '#/lib/api-types';
import { currentSession } from '#/lib/session';

export type SystemUserRow = Pick<
  Api<'SystemUser'>,
  | 'id'
  | 'name'
  | 'username'
  | 'username_same_with_user'
  | 'type'
  | 'login_mode'
  | 'protocol'
  | 'assets_amount'
  | 'ssh_key_fingerprint'
  | 'auto_push'
  | 'cmd_filters'
>;

/** Whether the accounts are those of hosts: on Windows also with RDP. */
function isOfHosts(row: SystemUserRow): boolean {
  return row.protocol === 'ssh' || row.protocol === 'rdp';
}

/** Whether jobs can sign in with the accounts of this system user. */
export function hasAccounts(row: SystemUserRow): boolean {
  return (
    currentSession()?.organization.is_root === false &&
    isOfHosts(row) &&
    row.login_mode === 'auto' &&
    row.username_same_with_user !== true
  );
}

/** Whether jobs can create the accounts of this system user. */
export function isPushable(row: SystemUserRow): boolean {
  return hasAccounts(row) && row.type === 'common';
}

/** Whether auto push can be switched: where the form has it. */
export function hasAutoPush(row: SystemUserRow): boolean {
  return row.type === 'common' && isOfHosts(row) && row.login_mode === 'auto';
}

const HOST_PROTOCOLS = new Set(['ssh', 'rdp', 'vnc', 'telnet']);

/** Whether it signs in to databases or clusters, not to hosts. */
export function isForApplications(row: SystemUserRow): boolean {
  return !HOST_PROTOCOLS.has(row.protocol);
}
