import { http } from '#/lib/http/client';

/**
 * A key for API calls without a browser. Only the answer that creates a key holds its secret; lists return a masked
 * one.
 */
export interface AccessKey {
  readonly id: string;
  readonly secret: string;
  readonly comment: string;
  readonly is_active: boolean;
  readonly has_ended: boolean;
  readonly date_created: string;
  readonly date_last_used: string | null;
  /** When the key ends by itself; null: never. */
  readonly date_expired: string | null;
}

export interface KeyChanges {
  readonly comment?: string;
  readonly date_expired?: string | null;
}

const LIST = 'authentication/access-keys/';

export const accessKeysKey = ['access-keys'] as const;

// Quiet: the dialog reports failures, because it can name the operation.
export const fetchKeys = () => http.get<readonly AccessKey[]>(LIST, { quiet: true });
export const createKey = (values: KeyChanges) => http.post<AccessKey>(LIST, values, { quiet: true });
export const changeKey = (id: string, changes: KeyChanges) =>
  http.patch<AccessKey>(`${LIST}${id}/`, changes, { quiet: true });
export const setKeyActive = (id: string, isActive: boolean) =>
  http.patch<AccessKey>(`${LIST}${id}/`, { is_active: isActive }, { quiet: true });
export const deleteKey = (id: string) => http.delete(`${LIST}${id}/`, { quiet: true });
