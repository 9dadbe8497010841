import { useMemo } from 'react';
import { ResourceList } from '#/resource/list/ResourceList';
import { execution } from './execution.resource';

/** The executions of a task, or of one of its versions. */
export function ExecutionsOf({ task, adhoc }: { readonly task?: string; readonly adhoc?: string }) {
  const query = useMemo(() => (task === undefined ? { adhoc } : { task }), [task, adhoc]);
  return <ResourceList resource={execution} query={query} embedded />;
}
