import { useRouterState } from '@tanstack/react-router';
import type { RouteRecord } from '#/lib/routes';
import { recordNamed } from '../sections';

/** Record of the open screen, found by the name that its route carries. */
export function useOpenRecord(): RouteRecord | undefined {
  const name = useRouterState({ select: (state) => state.matches.at(-1)?.staticData.record });
  return recordNamed(name);
}
