import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import type { Command, Scope } from './commands';
import { findObjects, type Source } from './find-objects';

/** Debounce, in ms: how long typing must pause before the server is asked. */
export const TYPING_PAUSE_MS = 200;
const PEOPLE = 'UserList';

function useSettled(text: string): string {
  const [settled, setSettled] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}

export interface ObjectSearch {
  readonly found: readonly Command[];
  readonly busy: boolean;
  readonly failed: boolean;
}

/** Objects by name, from the list endpoints that this person may read. */
export function useObjects(sources: readonly Source[], words: string, scope: Scope): ObjectSearch {
  const settled = useSettled(words);
  const askedSources =
    scope === 'users' ? sources.filter((source) => source.record.name === PEOPLE) : sources;
  const enabled = settled !== '' && (scope === 'all' || scope === 'users') && askedSources.length > 0;
  const { data, isFetching, isError } = useQuery({
    queryKey: ['palette', scope, settled],
    queryFn: ({ signal }) => findObjects(askedSources, settled, signal),
    enabled,
    staleTime: 30_000,
  });
  const isCurrent = enabled && words !== '';
  return {
    found: isCurrent ? (data ?? []) : [],
    busy: (isFetching && enabled) || (words !== settled && words !== ''),
    failed: isCurrent && isError,
  };
}
