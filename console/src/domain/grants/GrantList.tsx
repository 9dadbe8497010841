import { useMemo } from 'react';
import { ResourceList } from '#/resource/list/ResourceList';
import { type GrantPlace, grantsSeenFrom } from './grants.resource';

/**
 * The permissions that name an object: who, what, as whom, until when. A button opens the form of a new permission,
 * prefilled with the object.
 */
export function GrantList({ place }: { readonly place: GrantPlace }) {
  const { kind, id, name, nodes } = place;
  const spoken = nodes?.join('\n') ?? '';
  const resource = useMemo(
    () => grantsSeenFrom({ kind, id, name, nodes: spoken === '' ? [] : spoken.split('\n') }),
    [kind, id, name, spoken],
  );
  const query = useMemo(() => ({ [`${kind}_id`]: id }), [kind, id]);
  return <ResourceList resource={resource} query={query} createQuery={`?${kind}=${id}`} embedded />;
}
