import type { GrantedNode as Node } from '#/domain/granted-tree/items';
import { queryOptions } from '@tanstack/react-query';
import { http } from '#/lib/http/client';
import { NotFoundError } from '#/lib/http/errors';

export interface GrantedAsset {
  readonly id: string;
  readonly hostname: string;
  readonly ip: string;
  readonly platform: string;
  readonly protocols: readonly string[];
  readonly is_active: boolean;
  readonly comment: string;
}

export interface GrantedSystemUser {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  readonly protocol: string;
  readonly priority: number;
  readonly login_mode: 'auto' | 'manual';
  readonly username_same_with_user?: boolean;
  /** Names of what the permissions allow. */
  readonly actions?: readonly string[];
}

/** The asset and the account of a session. */
export interface SessionTarget {
  readonly assetId: string;
  readonly assetName: string;
  readonly address: string;
  readonly systemUser: GrantedSystemUser;
}

export type GrantedNode = Node<GrantedAsset>;

export interface ConnectionToken {
  readonly token: string;
  readonly terminal_id: string;
  readonly ws_path: string;
  readonly expires_in: number;
  /** Of a token for the file manager: where the requests of its session begin. */
  readonly files_path?: string;
}

interface Page<Row> {
  readonly count: number;
  readonly results: readonly Row[];
}

const SEARCH_LIMIT = 50;

/** Child nodes and assets of a node; without a key, the root nodes. */
export const branchQuery = (key: string | null) =>
  queryOptions({
    queryKey: ['connecting', 'branch', key],
    queryFn: ({ signal }) =>
      http.get<readonly GrantedNode[]>('perms/users/nodes/children-with-assets/tree/', {
        query: key === null ? {} : { key },
        signal,
        quiet: true,
      }),
    staleTime: 60_000,
  });

export const assetSearchQuery = (search: string) =>
  queryOptions({
    queryKey: ['connecting', 'search', search],
    queryFn: ({ signal }) =>
      http.get<Page<GrantedAsset>>('perms/users/assets/', {
        query: { search, limit: SEARCH_LIMIT, offset: 0 },
        signal,
        quiet: true,
      }),
  });

export function grantedAsset(id: string): Promise<Page<GrantedAsset>> {
  return http.get<Page<GrantedAsset>>('perms/users/assets/', {
    query: { id, limit: 1, offset: 0 },
    quiet: true,
  });
}

/**
 * System users that the person may use on an asset, for the protocols of the terminal, best first. Empty when the asset
 * is not granted.
 */
export async function usableSystemUsers(assetId: string): Promise<readonly GrantedSystemUser[]> {
  try {
    const granted = await http.get<readonly GrantedSystemUser[]>(
      `perms/users/assets/${assetId}/system-users/`,
      {
        quiet: true,
      },
    );
    return granted
      .filter((systemUser) => systemUser.protocol === 'ssh')
      .sort((a, b) => b.priority - a.priority);
  } catch (error) {
    if (error instanceof NotFoundError) return [];
    throw error;
  }
}

/** `files`: for a session of the file manager. */
export function connectionToken(
  assetId: string,
  systemUserId: string,
  files = false,
): Promise<ConnectionToken> {
  return http.post<ConnectionToken>(
    'authentication/connection-token/',
    { asset: assetId, system_user: systemUserId, protocol: 'ssh', ...(files && { files }) },
    { quiet: true },
  );
}

/**
 * Why the person can or cannot connect, and what helps. The server includes only the names and reasons that this person
 * may see.
 */
export interface OwnAccess {
  readonly allowed: boolean;
  readonly code: string;
  readonly message: string;
  readonly reasons: readonly {
    readonly code: string;
    readonly message: string;
    readonly permission: { readonly id: string; readonly name: string } | null;
  }[];
  readonly asset: { readonly id: string; readonly name: string } | null;
  readonly user: string;
  readonly may_grant: boolean;
  readonly system_user: { readonly id: string; readonly name: string } | null;
  readonly ask: readonly string[];
}

export const ownAccessQuery = (assetId: string) =>
  queryOptions({
    queryKey: ['connecting', 'access', assetId],
    queryFn: ({ signal }) =>
      http.get<OwnAccess>(`perms/users/assets/${encodeURIComponent(assetId)}/access/`, {
        signal,
        quiet: true,
      }),
    staleTime: 0,
  });
