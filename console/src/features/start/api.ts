import { queryOptions } from '@tanstack/react-query';
import { http } from '#/lib/http/client';
import { queryClient } from '#/lib/query';

/** In the order in which they are taken. The address of the site is asked of those who may set it. */
export const STEPS = ['site_url', 'account', 'host', 'person', 'permission', 'connect'] as const;
export type StepId = (typeof STEPS)[number];

export interface FirstRun {
  readonly site_url: string;
  readonly steps: Readonly<Record<StepId, boolean>>;
}

export const firstRunQuery = queryOptions({
  queryKey: ['first-run'],
  queryFn: () => http.get<FirstRun>('first-run/', { quiet: true }),
  // Steps are done on other screens, too.
  staleTime: 0,
  refetchOnWindowFocus: true,
});

/** After a step: the server says what is done now. */
export async function readAgain(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: firstRunQuery.queryKey });
}
