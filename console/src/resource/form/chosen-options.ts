import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { http } from '#/lib/http/client';
import type { PickerOption } from '#/ui/picker';
import { cacheIds, type Page } from '../api';
import type { RemoteOptions } from '../define';

type RawRow = Record<string, unknown>;

/** Names of chosen objects: those that are not in `seen` are resolved in one request. */
export function useChosenOptions(
  remote: RemoteOptions,
  ids: readonly string[],
  seen: ReadonlyMap<string, PickerOption>,
) {
  const missing = ids.filter((id) => !seen.has(id));
  const query = useQuery({
    queryKey: ['chosen', remote.api, remote.scope ?? {}, missing],
    enabled: missing.length > 0,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const spm = await cacheIds(missing, { quiet: true });
      const answer = await http.get<Page<RawRow> | readonly RawRow[]>(remote.api, {
        query: { ...remote.scope, spm, limit: missing.length, offset: 0 },
        quiet: true,
        signal,
      });
      return 'results' in answer ? answer.results : answer;
    },
  });
  return useMemo(() => {
    const resolved = new Map(seen);
    for (const row of query.data ?? []) {
      const option = remote.option(row);
      resolved.set(option.id, option);
    }
    return ids.map((id) => resolved.get(id) ?? { id, label: query.isFetching ? '…' : id });
  }, [seen, query.data, query.isFetching, ids, remote]);
}
