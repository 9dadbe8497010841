import { accessEffect } from '#/domain/access-preview/effects';
import { paths } from '#/lib/paths';
import { RelationCard } from '#/resource/detail/RelationCard';
import { groupOptions } from '#/domain/remotes';
import { mayLeave } from './leaving';

/** Groups of a person in this organization. */
export function UserGroupsCard({
  userId,
  person,
  onChange,
}: {
  readonly userId: string;
  /** The person's name. */
  readonly person: string;
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
      beforeRemove={(group, name) => mayLeave({ id: group, name }, userId, person)}
      effectOfAdding={(groups) =>
        accessEffect(
          groups.map((id) => ({ object: 'user_group', action: 'update', id, values: { add: [userId] } })),
        )
      }
    />
  );
}
