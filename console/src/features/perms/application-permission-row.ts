import type { Api } from '#/lib/api-types';

/** An application permission, as far as its screens use it. */
export type ApplicationPermissionRow = Pick<
  Api<'ApplicationPermission'>,
  | 'id'
  | 'name'
  | 'category'
  | 'type'
  | 'type_display'
  | 'is_active'
  | 'is_valid'
  | 'date_start'
  | 'date_expired'
  | 'users'
  | 'user_groups'
  | 'applications'
  | 'users_amount'
  | 'user_groups_amount'
  | 'applications_amount'
  | 'system_users_amount'
>;
