import { useMemo } from 'react';
import { ResourceList } from '#/resource/list/ResourceList';
import { version } from './version.resource';

/** The versions of a task. */
export function VersionsOf({ task }: { readonly task: string }) {
  const query = useMemo(() => ({ task }), [task]);
  return <ResourceList resource={version} query={query} embedded />;
}
