import { useQuery } from '@tanstack/react-query';
import { paths } from '#/lib/paths';
import { commandFilterOptions, systemUserOptions } from '#/domain/remotes';
import { fetchPage } from '#/resource/api';
import type { RemoteOptions } from '#/resource/define';
import { FieldRelationCard, type Related } from '#/resource/detail/FieldRelationCard';
import { AppLink } from '#/ui/link';

/** Most names that a card looks up; the others show their ids. */
const MAX_NAMES = 200;

/** The objects with these ids, named once their names have arrived. */
function useNamed(
  remote: RemoteOptions,
  ids: readonly string[],
  linkTo: (id: string) => string,
): readonly Related[] {
  const names = useQuery({
    queryKey: ['names', remote.api, ids],
    queryFn: async ({ signal }) => {
      const query = {
        ids: ids.slice(0, MAX_NAMES).join(','),
        fields_size: 'mini',
        offset: 0,
        limit: MAX_NAMES,
      };
      const page = await fetchPage<Record<string, unknown>>(remote.api, query, signal);
      return new Map(page.results.map((row) => [String(row['id']), remote.option(row).label]));
    },
    enabled: ids.length > 0,
  });
  return ids.map((id) => {
    const name = names.data?.get(id) ?? (names.isPending ? '…' : id);
    return { id, name, content: <AppLink to={linkTo(id)}>{name}</AppLink> };
  });
}

interface CardProps<Row> {
  readonly row: Row;
  readonly onChange: () => void;
}

/** The command filters that apply to sessions of a system user. */
export function FiltersOfSystemUser({
  row,
  onChange,
}: CardProps<{ readonly id: string; readonly cmd_filters?: readonly string[] }>) {
  return (
    <FieldRelationCard
      title="command-filters:many_title"
      add="command-filters:add_filter"
      none="command-filters:no_filter"
      remote={commandFilterOptions}
      path={`assets/system-users/${row.id}/`}
      field="cmd_filters"
      items={useNamed(commandFilterOptions, row.cmd_filters ?? [], paths.commandFilter)}
      onChange={onChange}
    />
  );
}

const sshUsers: RemoteOptions = { ...systemUserOptions, query: { protocol: 'ssh' } };

/** The system users whose sessions a command filter applies to. */
export function SystemUsersOfFilter({
  row,
  onChange,
}: CardProps<{ readonly id: string; readonly system_users?: readonly string[] }>) {
  return (
    <FieldRelationCard
      title="command-filters:system_users"
      add="assets:relation.add_system_user"
      none="command-filters:no_system_user"
      remote={sshUsers}
      path={`assets/cmd-filters/${row.id}/`}
      field="system_users"
      items={useNamed(systemUserOptions, row.system_users ?? [], paths.systemUser)}
      onChange={onChange}
    />
  );
}
