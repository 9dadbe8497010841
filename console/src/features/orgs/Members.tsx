import { useMemo } from 'react';
import { queryClient } from '#/lib/query';
import { ResourceList } from '#/resource/list/ResourceList';
import { AddMembers } from './AddMembers';
import { membersOf } from './member.resource';

/** Members of an organization with their roles. People of the whole installation can be added. */
export function Members({
  organization,
  onChange,
}: {
  readonly organization: { readonly id: string; readonly name: string };
  /** A change of members changes the counts of the organization, so its queries are invalidated. */
  readonly onChange: () => void;
}) {
  const { id } = organization;
  const resource = useMemo(() => membersOf(onChange), [onChange]);
  const query = useMemo(() => ({ org: id }), [id]);
  return (
    <div className="grid grid-cols-1 items-start gap-3.5 lg:grid-cols-[minmax(0,1fr)_348px]">
      <ResourceList resource={resource} query={query} embedded />
      <AddMembers
        organization={organization}
        onAdded={() => {
          void queryClient.invalidateQueries({ queryKey: ['list'] });
          onChange();
        }}
      />
    </div>
  );
}
