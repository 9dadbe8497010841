import type { Api } from '#/lib/api-types';
import { http } from '#/lib/http/client';

export type LiveSession = Pick<Api<'Session'>, 'id' | 'user' | 'asset' | 'system_user'>;

export interface LiveSessions {
  readonly count: number;
  /** The newest of them. */
  readonly rows: readonly LiveSession[];
}

/** Ids in one request, so that the address stays short. */
const CHUNK = 50;
/** Sessions that are named; the others are only counted. */
export const NAMED = 5;

const FILTERS = { user: 'user_id__in', asset: 'asset_id__in' } as const;

/** The sessions of these people, or on these assets, that are running now. */
export async function liveSessionsOf(
  object: 'user' | 'asset',
  ids: readonly string[],
): Promise<LiveSessions> {
  const chunks = Array.from({ length: Math.ceil(ids.length / CHUNK) }, (_none, index) =>
    ids.slice(index * CHUNK, (index + 1) * CHUNK),
  );
  const pages = await Promise.all(
    chunks.map((some) =>
      http.get<{ readonly count: number; readonly results: readonly LiveSession[] }>('terminal/sessions/', {
        query: { is_finished: '0', [FILTERS[object]]: some.join(','), limit: NAMED },
        quiet: true,
      }),
    ),
  );
  return {
    count: pages.reduce((sum, page) => sum + page.count, 0),
    rows: pages.flatMap((page) => page.results).slice(0, NAMED),
  };
}
