import { ResourceList } from '#/resource/list/ResourceList';
import { commands } from './command.resource';

/** The server reads commands of one session or of one storage. */
const QUERY = { command_storage_id: 'default' };

/** The commands of all sessions that the person may see, newest first. */
export function CommandListPage() {
  return <ResourceList resource={commands} query={QUERY} />;
}
