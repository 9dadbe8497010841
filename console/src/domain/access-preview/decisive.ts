/** The fields of objects other than permissions that decide access. */
export const DECISIVE = {
  user: ['is_active', 'date_expired', 'groups'],
  user_group: ['users'],
  asset: ['is_active', 'nodes', 'protocols'],
} as const;

/** Objects whose forms decide access, besides permissions. */
export type Formed = keyof typeof DECISIVE;
