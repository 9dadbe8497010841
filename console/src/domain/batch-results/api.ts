import { useQuery } from '@tanstack/react-query';
import type { Api } from '#/lib/api-types';
import { http } from '#/lib/http/client';

export type BatchCommand = Pick<
  Api<'BatchCommand'>,
  | 'id'
  | 'command'
  | 'state'
  | 'state_display'
  | 'result'
  | 'is_finished'
  | 'is_cancelling'
  | 'hosts_amount'
  | 'done'
  | 'failed'
  | 'date_start'
  | 'date_finished'
>;
export type Group = Api<'Group'>;
export type Host = Api<'Host'>;

const OPEN_MS = 1_000;
/** Hosts of one group that are listed. */
export const SHOWN_HOSTS = 200;

interface Page<Row> {
  readonly count: number;
  readonly results: readonly Row[];
}

/** Hosts with the same output. Read again while the command runs, and once after it. */
export function useGroups(id: string, isOpen: boolean) {
  return useQuery({
    queryKey: ['batch', id, 'groups', isOpen],
    queryFn: ({ signal }) =>
      http.get<readonly Group[]>(`ops/command-executions/${id}/groups/`, { signal, quiet: true }),
    refetchInterval: isOpen ? OPEN_MS : false,
    placeholderData: (before, query) => (query?.queryKey[1] === id ? before : undefined),
    staleTime: isOpen ? 0 : Infinity,
  });
}

/** The first hosts of a group; `amount` makes it read again when the group has grown. */
export function useHostsOf(id: string, group: string, amount: number) {
  return useQuery({
    queryKey: ['batch', id, 'hosts', group, amount],
    queryFn: ({ signal }) =>
      http.get<Page<Host>>(`ops/command-executions/${id}/hosts/`, {
        query: { group, limit: SHOWN_HOSTS, offset: 0 },
        signal,
        quiet: true,
      }),
    placeholderData: (before, query) =>
      query?.queryKey[1] === id && query.queryKey[3] === group ? before : undefined,
  });
}

/** The whole stored output of a host; read again while the host has not ended. */
export function useOutput(id: string, host: number) {
  return useQuery({
    queryKey: ['batch', id, 'output', host],
    queryFn: ({ signal }) =>
      http.get<Api<'HostOutput'>>(`ops/command-executions/${id}/hosts/${host}/`, { signal, quiet: true }),
    refetchInterval: ({ state }) => (state.data && state.data.state !== 'ended' ? OPEN_MS : false),
    staleTime: 0,
  });
}
