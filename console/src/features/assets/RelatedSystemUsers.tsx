import { paths } from '#/lib/paths';
import { RelationCard } from '#/resource/detail/RelationCard';
import { systemUserOptions } from '#/domain/remotes';

const API = 'assets/system-users-assets-relations/';
const NOTHING = () => {};

/** System users of an asset. */
export function RelatedSystemUsers({ assetId }: { readonly assetId: string }) {
  return (
    <RelationCard
      title="assets:tab.system_users"
      add="assets:relation.add_system_user"
      remote={systemUserOptions}
      relation={{ api: API, own: 'asset', other: 'systemuser' }}
      id={assetId}
      linkTo={paths.systemUser}
      onChange={NOTHING}
    />
  );
}
