import { useMemo } from 'react';
import { ResourceList } from '#/resource/list/ResourceList';
import { type ApplicationGrantPlace, applicationGrantsSeenFrom } from './application-grants.resource';

/**
 * The application permissions that name an object. A button opens the form of a new permission, prefilled with the
 * object.
 */
export function ApplicationGrantList({ place }: { readonly place: ApplicationGrantPlace }) {
  const { kind, id, category, type } = place;
  const resource = useMemo(
    () => applicationGrantsSeenFrom({ kind, id, category, type }),
    [kind, id, category, type],
  );
  const query = useMemo(() => ({ [`${kind}_id`]: id }), [kind, id]);
  return <ResourceList resource={resource} query={query} embedded />;
}
