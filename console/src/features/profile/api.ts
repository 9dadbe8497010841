import { http } from '#/lib/http/client';
import type { Profile } from '#/lib/session';

/** The profile, with the fields that only the profile screens use. */
export interface FullProfile extends Profile {
  readonly phone: string | null;
  /** Language over SSH and in messages; empty until the person has chosen one. */
  readonly language: 'zh-hans' | 'en' | '';
  readonly wechat: string;
  readonly comment: string;
  readonly is_active: boolean;
  readonly role_display: string;
  readonly source_display: string;
  readonly mfa_level: number;
  readonly mfa_level_display: string;
  /** Set by the administrator. */
  readonly guide_url: string | null;
  readonly groups_display: string;
  readonly can_public_key_auth: boolean;
  readonly public_key_comment: string;
  readonly public_key_hash_md5: string;
  readonly date_joined: string | null;
  readonly last_login: string | null;
  readonly date_expired: string | null;
}

export const PROFILE_KEY = ['profile'] as const;
export const OWN_CREDENTIALS = 'users/profile/credentials/';

export function fetchProfile(): Promise<FullProfile> {
  return http.get<FullProfile>('users/profile/', { quiet: true });
}

export function saveProfile(
  changes: Partial<
    Pick<FullProfile, 'phone' | 'wechat' | 'comment' | 'language' | 'is_first_login' | 'mfa_level'>
  > & {
    readonly public_key?: string;
  },
) {
  return http.patch<FullProfile>('users/profile/', changes, { quiet: true });
}

export function savePublicKey(publicKey: string): Promise<unknown> {
  return http.put('users/profile/public-key/', { public_key: publicKey }, { quiet: true });
}

/** Generates a key pair; the answer contains the private key, which the server does not keep. */
export function generateKey(): Promise<string> {
  return http.post<string>('users/profile/public-key/generate/', {}, { quiet: true });
}

/** `end`: kinds of credentials to revoke together with the old password. */
export function savePassword(
  values: Readonly<Record<string, string>>,
  end: readonly string[],
): Promise<unknown> {
  return http.put('users/profile/password/', { ...values, end }, { quiet: true });
}
