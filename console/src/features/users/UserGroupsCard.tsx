import { paths } from '#/lib/paths';
import { RelationCard } from '#/resource/detail/RelationCard';
import { groupOptions } from '#/domain/remotes';

/** Groups of a person in this organization. */
export function UserGroupsCard({
  userId,
  onChange,
}: {
  readonly userId: string;
  readonly onChange: () => void;
}) {
  return (
    <RelationCard
      title="users:groups"
      add="users:group.join"
      remote={groupOptions}
      relation={{ api: 'users/users-groups-relations/', own: 'user', other: 'usergroup' }}
      id={userId}
      linkTo={paths.userGroup}
      onChange={onChange}
    />
  );
}
