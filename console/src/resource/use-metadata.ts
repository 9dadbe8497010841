import { queryOptions, useQuery } from '@tanstack/react-query';
import { currentLanguage } from '#/lib/i18n';
import type { QueryValues } from '#/lib/http/query-string';
import { currentSession } from '#/lib/session';
import { fetchMetadata } from './api';

/** Metadata depends only on language, role and organization; it is cached for five minutes. */
const FRESH_MS = 300_000;

/** Query options of a list's metadata, for `useMetadata` and for prefetching. */
export function metadataQuery(path: string, query?: QueryValues) {
  const session = currentSession();
  return queryOptions({
    queryKey: [
      'metadata',
      path,
      query ?? {},
      currentLanguage(),
      session?.organization.id,
      session?.currentRole,
    ],
    queryFn: () => fetchMetadata(path, query),
    staleTime: FRESH_MS,
  });
}

export function useMetadata(path: string, query?: QueryValues, enabled = true) {
  return useQuery({ ...metadataQuery(path, query), enabled });
}
