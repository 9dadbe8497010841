import { queryOptions } from '@tanstack/react-query';
import type { BatchCommand, Host } from '#/domain/batch-results/api';
import type { GrantedNode as Node } from '#/domain/granted-tree/items';
import type { Api } from '#/lib/api-types';
import { explain } from '#/lib/http/catalogue';
import { http } from '#/lib/http/client';
import { ValidationError } from '#/lib/http/errors';
import { queryClient } from '#/lib/query';

export type OwnCommand = Api<'BatchCommand'>;
export type Snippet = Api<'CommandSnippet'>;

/** Hosts of one command. */
export const MAX_HOSTS = 5_000;
const OPEN_MS = 1_000;
/** Why a call was refused: what the server says about a field, or the failure itself. */
export function whyOf(error: unknown): string {
  if (!(error instanceof ValidationError)) return explain(error);
  return Object.values(error.fields).find((text) => typeof text === 'string') ?? explain(error);
}

const PATH = 'ops/command-executions/';
const SNIPPETS = 'ops/command-snippets/';

export interface Page<Row> {
  readonly count: number;
  readonly results: readonly Row[];
}

export interface UsableSystemUser {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  readonly protocol: string;
  readonly login_mode: string;
}

export interface GrantedAsset {
  readonly id: string;
  readonly hostname: string;
  readonly ip: string;
}

export type GrantedNode = Node<GrantedAsset>;

/** System users that can run commands: those with a stored secret that use SSH, or RDP for Windows hosts. */
export const systemUsersQuery = queryOptions({
  queryKey: ['batch', 'system-users'],
  queryFn: async ({ signal }) => {
    const rows = await http.get<readonly UsableSystemUser[]>('perms/system-users-permission/', {
      signal,
      quiet: true,
    });
    return rows.filter(
      (row) => (row.protocol === 'ssh' || row.protocol === 'rdp') && row.login_mode === 'auto',
    );
  },
});

/** Nodes and assets below a node, or the roots, as far as the system user may be used on them. */
export const branchQuery = (systemUser: string, key: string | null) =>
  queryOptions({
    queryKey: ['batch', 'branch', systemUser, key],
    queryFn: ({ signal }) =>
      http.get<readonly GrantedNode[]>('perms/users/nodes/children-with-assets/tree/', {
        query: { system_user: systemUser, ...(key === null ? {} : { key }) },
        signal,
        quiet: true,
      }),
    staleTime: 60_000,
  });

export const foundQuery = (systemUser: string, search: string) =>
  queryOptions({
    queryKey: ['batch', 'search', systemUser, search],
    queryFn: ({ signal }) =>
      http.get<Page<GrantedAsset>>('perms/users/assets/', {
        query: { system_user: systemUser, search, limit: 50, offset: 0 },
        signal,
        quiet: true,
      }),
  });

/** All assets below a node; at most one more than a command takes. */
export async function assetsBelow(systemUser: string, node: string): Promise<readonly GrantedAsset[]> {
  const page = await http.get<Page<GrantedAsset>>(`perms/users/nodes/${node}/assets/`, {
    query: { system_user: systemUser, limit: MAX_HOSTS + 1, offset: 0 },
  });
  return page.results;
}

export const commandQuery = (id: string) =>
  queryOptions({
    queryKey: ['batch', id, 'command'],
    queryFn: ({ signal }) => http.get<OwnCommand>(`${PATH}${id}/`, { signal, quiet: true }),
    refetchInterval: ({ state }: { readonly state: { readonly data?: BatchCommand } }) =>
      state.data && !state.data.is_finished ? OPEN_MS : false,
    staleTime: 0,
  });

export const historyQuery = (search: string) =>
  queryOptions({
    queryKey: ['batch', 'history', search],
    queryFn: ({ signal }) =>
      http.get<Page<OwnCommand>>(PATH, { query: { search, limit: 50, offset: 0 }, signal, quiet: true }),
    staleTime: 0,
  });

export const snippetsQuery = queryOptions({
  queryKey: ['batch', 'snippets'],
  queryFn: ({ signal }) => http.get<readonly Snippet[]>(SNIPPETS, { signal, quiet: true }),
});

export function runCommand(body: {
  readonly command: string;
  readonly run_as: string;
  readonly hosts: readonly string[];
}): Promise<OwnCommand> {
  return http.post<OwnCommand>(PATH, body, { quiet: true });
}

/** The hosts on which a command did not end as it should. */
export async function failedHosts(id: string): Promise<readonly Host[]> {
  const page = await http.get<Page<Host>>(`${PATH}${id}/hosts/`, {
    query: { is_failed: true, limit: MAX_HOSTS, offset: 0 },
  });
  return page.results;
}

export async function stopCommand(id: string): Promise<void> {
  await http.post(`ops/celery/task/${id}/cancel/`, {});
  await queryClient.invalidateQueries({ queryKey: ['batch', id] });
}

async function changed(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: snippetsQuery.queryKey });
}

export async function saveSnippet(name: string, command: string): Promise<void> {
  await http.post(SNIPPETS, { name, command }, { quiet: true });
  await changed();
}

export async function deleteSnippet(id: string): Promise<void> {
  await http.delete(`${SNIPPETS}${id}/`, { quiet: true });
  await changed();
}
