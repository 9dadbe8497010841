import { useMemo } from 'react';
import { ResourceList } from '#/resource/list/ResourceList';
import { type SessionPlace, sessionsSeenFrom } from './session-history.resource';

/** The sessions of one object, newest first. A live session links to its live view. */
export function SessionsOf({ kind, id }: { readonly kind: SessionPlace; readonly id: string }) {
  const resource = useMemo(() => sessionsSeenFrom(kind), [kind]);
  const query = useMemo(() => ({ [`${kind}_id`]: id }), [kind, id]);
  return <ResourceList resource={resource} query={query} embedded />;
}
