import type { Api } from '#/lib/api-types';

export type AccountRow = Pick<
  Api<'Account'>,
  | 'id'
  | 'username'
  | 'hostname'
  | 'ip'
  | 'asset'
  | 'systemuser'
  | 'systemuser_display'
  | 'version'
  | 'has_own_secret'
  | 'connectivity'
  | 'date_verified'
>;

/** `root@web-1`, for titles and questions. */
export function accountName(row: Pick<AccountRow, 'username' | 'hostname'>): string {
  return `${row.username || '*'}@${row.hostname}`;
}
