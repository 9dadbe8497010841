import { useRouterState } from '@tanstack/react-router';
import type { RouteRecord } from '#/lib/routes';
import { recordNamed } from '../sections';

/** Record of the open screen, looked up by the name in its route's static data. */
export function useOpenRecord(): RouteRecord | undefined {
  const name = useRouterState({ select: (state) => state.matches.at(-1)?.staticData.record });
  return recordNamed(name);
}
