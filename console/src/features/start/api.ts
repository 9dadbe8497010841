import { queryOptions } from '@tanstack/react-query';
import { http } from '#/lib/http/client';
import { queryClient } from '#/lib/query';

/** In the order of the page. Only people who may set the site address see that step. */
export const STEPS = ['site_url', 'account', 'host', 'person', 'permission', 'connect'] as const;
export type StepId = (typeof STEPS)[number];

/** A host that was reached, or the newest one. */
export interface FirstHost {
  readonly id: string;
  readonly hostname: string;
  readonly connectivity: 'ok' | 'failed' | 'unknown';
  readonly connectivity_reason: string;
}

export interface FirstRun {
  readonly site_url: string;
  readonly steps: Readonly<Record<StepId, boolean>>;
  readonly host: FirstHost | null;
}

export const firstRunQuery = queryOptions({
  queryKey: ['first-run'],
  queryFn: () => http.get<FirstRun>('first-run/', { quiet: true }),
  // Refetched on return to the page, because steps can be completed on other screens.
  staleTime: 0,
  refetchOnWindowFocus: true,
});

/** Reloads the state of the steps after one was completed. */
export async function readAgain(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: firstRunQuery.queryKey });
}
