import { http } from '#/lib/http/client';

/** A person whose name is locked by failed sign-ins. */
export interface LockedPerson {
  readonly id: string;
  readonly username: string;
  readonly name: string;
  readonly date_locked_until: string;
  /** False for the signed-in person and for people with higher rights. */
  readonly can_unlock: boolean;
}

export interface LockedAddress {
  readonly address: string;
  readonly date_locked_until: string;
}

/** `everybody` includes people without an organization; the server honours it for system administrators only. */
export function fetchLockedPeople(everybody: boolean): Promise<readonly LockedPerson[]> {
  return http.get<readonly LockedPerson[]>(`users/users/locked/${everybody ? '?all=1' : ''}`, {
    quiet: true,
  });
}

export function fetchLockedAddresses(): Promise<readonly LockedAddress[]> {
  return http.get<readonly LockedAddress[]>('authentication/locked-addresses/', { quiet: true });
}

export function unlockPerson(id: string, everybody: boolean): Promise<unknown> {
  return http.patch(`users/users/${id}/unblock/${everybody ? '?all=1' : ''}`, {}, { quiet: true });
}

export function unlockAddress(address: string): Promise<unknown> {
  return http.post('authentication/locked-addresses/unlock/', { address }, { quiet: true });
}
