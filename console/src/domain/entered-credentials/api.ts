import { queryOptions } from '@tanstack/react-query';
import type { Api } from '#/lib/api-types';
import { http } from '#/lib/http/client';
import { problemsIn, type Problems } from '#/domain/credential-form/problems';
import { translate } from '#/lib/i18n';
import { queryClient } from '#/lib/query';

/** A credential that waits for the person's next session. Nobody gets its password back. */
export type KeptCredential = Pick<
  Api<'KeptCredential'>,
  'id' | 'asset' | 'asset_display' | 'system_user' | 'system_user_display' | 'username' | 'date_expired'
>;

/** The system user and the asset of a session. */
export interface Pair {
  readonly asset: string;
  readonly systemUser: string;
}

export interface TypedCredential {
  readonly username: string;
  readonly password: string;
}

const KEY = 'entered-credentials';

/** The credential that the next session of this pair uses; null if none is stored. */
export const keptQuery = ({ asset, systemUser }: Pair) =>
  queryOptions({
    queryKey: [KEY, asset, systemUser],
    queryFn: async ({ signal }): Promise<KeptCredential | null> => {
      const rows = await http.get<readonly KeptCredential[]>('assets/entered-credentials/', {
        query: { asset, system_user: systemUser },
        signal,
        quiet: true,
      });
      return rows[0] ?? null;
    },
    staleTime: 0,
    gcTime: 0,
  });

/** Stores a credential for the next session of this pair; replaces an earlier credential. */
export async function enterCredential({ asset, systemUser }: Pair, typed: TypedCredential): Promise<void> {
  const body = { instance_id: asset, ...typed };
  await http.post(`assets/system-users/${systemUser}/temp-auth/`, body, { quiet: true });
  await queryClient.invalidateQueries({ queryKey: [KEY] });
}

/** Deletes a stored credential. `quiet`: the caller shows a failure. */
export async function forgetCredential(id: string, quiet = false): Promise<void> {
  await http.delete(`assets/entered-credentials/${id}/`, { quiet });
  await queryClient.invalidateQueries({ queryKey: [KEY] });
}

/** What is wrong with a typed credential, by field; `other` for what concerns neither. */
export type CredentialProblems = Problems<'username' | 'password'>;

export function problemsOf(error: unknown): CredentialProblems {
  const { instance_id: asset, ...problems } = problemsIn(error, ['username', 'password', 'instance_id']);
  return asset === undefined ? problems : { ...problems, other: asset };
}

/** A system user that the person may use on an asset, as far as entering its credential needs it. */
export interface SignIn {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  readonly login_mode: 'auto' | 'manual';
  readonly username_same_with_user?: boolean;
}

export function isManual(systemUser: SignIn): boolean {
  return systemUser.login_mode === 'manual';
}

/** Whether the person types the username, too. */
export function asksUsername(systemUser: SignIn): boolean {
  return systemUser.username === '' && systemUser.username_same_with_user !== true;
}

/** The system users of an asset whose credential the person enters. */
export const manualQuery = (asset: string) =>
  queryOptions({
    queryKey: [KEY, 'manual', asset],
    queryFn: async ({ signal }): Promise<readonly SignIn[]> => {
      const path = `perms/users/assets/${asset}/system-users/`;
      const granted = await http.get<readonly SignIn[]>(path, { signal, quiet: true });
      return granted.filter(isManual);
    },
  });

/** What is missing before a credential can be sent; empty if nothing is. */
export function missingIn(typed: TypedCredential, needsUsername: boolean): CredentialProblems {
  return {
    ...(needsUsername && typed.username === ''
      ? { username: translate('entered-credentials:enter_username') }
      : {}),
    ...(typed.password === '' ? { password: translate('entered-credentials:enter_password') } : {}),
  };
}
