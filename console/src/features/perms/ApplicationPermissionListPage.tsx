import { useNavigate, useSearch } from '@tanstack/react-router';
import { ResourceList } from '#/resource/list/ResourceList';
import { applicationPermission } from './application-permission.resource';
import { ApplicationTree } from './ApplicationTree';
import { type ApplicationPlace, applicationPlaceOf } from './place';
import { ROOMY, useTreePlace } from './tree-place';

/** The application permissions, filtered by what is chosen in the tree of applications. */
export function ApplicationPermissionListPage() {
  const navigate = useNavigate();
  const { category, type, app }: ApplicationPlace = useSearch({ strict: false });
  const place = useTreePlace();
  const choose = (next: ApplicationPlace) =>
    void navigate({
      to: '.',
      search: (old: Record<string, string | undefined>) => ({
        ...old,
        category: next.category,
        type: next.type,
        app: next.app,
        page: undefined,
      }),
      replace: true,
    });
  return (
    <ResourceList
      resource={applicationPermission}
      query={applicationPlaceOf({ category, type, app })}
      {...place(<ApplicationTree chosen={{ category, type, app }} onChoose={choose} wide={ROOMY} />)}
    />
  );
}
