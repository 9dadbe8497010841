import { ResourceList } from '#/resource/list/ResourceList';
import { applicationPermission } from './application-permission.resource';
import { ApplicationTree } from './ApplicationTree';
import { type ApplicationPlace, applicationPlaceOf } from './place';
import { ROOMY, useChosenPlace, useTreePlace } from './tree-place';

/** The application permissions, filtered by what is chosen in the tree of applications. */
export function ApplicationPermissionListPage() {
  const [{ category, type, app }, choose] = useChosenPlace<ApplicationPlace>();
  const place = useTreePlace();
  const tree = (
    <ApplicationTree
      chosen={{ category, type, app }}
      onChoose={(next) => choose({ category: next.category, type: next.type, app: next.app })}
      wide={ROOMY}
    />
  );
  return (
    <ResourceList
      resource={applicationPermission}
      query={applicationPlaceOf({ category, type, app })}
      {...place(tree)}
    />
  );
}
