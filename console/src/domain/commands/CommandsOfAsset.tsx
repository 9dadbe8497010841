import { useMemo } from 'react';
import { ResourceList } from '#/resource/list/ResourceList';
import { commandsOnAsset } from './command-history.resource';

/** The commands that were run on one asset, newest first. Each links to its moment in the session. */
export function CommandsOfAsset({ id }: { readonly id: string }) {
  // The server reads commands of one session or of one storage; there is one storage.
  const query = useMemo(() => ({ command_storage_id: 'default', asset_id: id }), [id]);
  return <ResourceList resource={commandsOnAsset} query={query} embedded />;
}
