import type { Hit, HitSession } from './hits';

export interface SessionHits {
  readonly session: HitSession;
  readonly hits: readonly Hit[];
}

/** Hits of the same session together, in the order in which the sessions first appear. */
export function bySession(hits: readonly Hit[]): readonly SessionHits[] {
  const groups = new Map<string, { session: HitSession; hits: Hit[] }>();
  for (const hit of hits) {
    const group = groups.get(hit.session.id);
    if (group) group.hits.push(hit);
    else groups.set(hit.session.id, { session: hit.session, hits: [hit] });
  }
  return [...groups.values()];
}
