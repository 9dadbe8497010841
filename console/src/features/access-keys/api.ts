import { http } from '#/lib/http/client';

/** A key for calls of the API without a browser. The secret is shown once, in the answer that creates it; lists carry a mask. */
export interface AccessKey {
  readonly id: string;
  readonly secret: string;
  readonly is_active: boolean;
  readonly date_created: string;
}

const LIST = 'authentication/access-keys/';

export const accessKeysKey = ['access-keys'] as const;

// Failures are told by the dialog, which names what failed.
export const fetchKeys = () => http.get<readonly AccessKey[]>(LIST, { quiet: true });
export const createKey = () => http.post<AccessKey>(LIST, undefined, { quiet: true });
export const setKeyActive = (id: string, isActive: boolean) =>
  http.patch<AccessKey>(`${LIST}${id}/`, { is_active: isActive }, { quiet: true });
export const deleteKey = (id: string) => http.delete(`${LIST}${id}/`, { quiet: true });
