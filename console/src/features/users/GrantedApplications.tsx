import { AppWindow } from 'lucide-react';
import { useMemo } from 'react';
import { type GrantedApplicationRow, GrantedSystemUsers } from '#/domain/application-kinds/granted';
import { applicationPath } from '#/domain/application-kinds/kinds';
import { paths } from '#/lib/paths';
import { defineResource } from '#/resource/define';
import { ResourceList } from '#/resource/list/ResourceList';
import { CellLink } from '#/ui/link';
import { VisibleText } from '#/ui/visible-text';

/** Groups have no list of system users for an application. */
function grantedApplications(base: string, of: 'user' | 'group') {
  return defineResource<GrantedApplicationRow, 'perms/users/{user_id}/applications/', 'system_users'>({
    name: 'GrantedApplicationTable',
    api: `${base}applications/`,
    routes: {
      names: { list: 'ApplicationPermissionList' },
      paths: { list: '/perms/app-permissions' },
      titles: { list: 'nav:app_permission_list' },
    },
    icon: AppWindow,
    nameOf: (row) => row.name,
    noun: {
      one: 'users:granted_app.one',
      many: 'users:granted_app.many',
      what: 'users:granted_app.what',
    },
    can: { create: false, deleteMany: false },
    list: {
      next: { label: 'users:grant_access', to: paths.createApplicationPermission, permission: 'admin' },
      columns: [
        {
          key: 'name',
          cell: (row) => (
            <CellLink to={applicationPath(row)} className="pt-link font-medium">
              <VisibleText text={row.name} />
            </CellLink>
          ),
        },
        'type',
        'category',
        ...(of === 'user'
          ? [
              {
                key: 'system_users' as const,
                label: 'users:granted.system_users',
                sortable: false,
                cell: (row: GrantedApplicationRow) => <GrantedSystemUsers base={base} id={row.id} />,
              },
            ]
          : []),
        'comment',
      ],
      untyped: ['id', 'type__in'],
      phone: { icon: AppWindow, meta: (row) => <span>{row.type_display}</span> },
    },
  });
}

/** Applications that a person or group may use. `base` ends with a slash. */
export function GrantedApplications({ base, of }: { readonly base: string; readonly of: 'user' | 'group' }) {
  const resource = useMemo(() => grantedApplications(base, of), [base, of]);
  return <ResourceList resource={resource} embedded />;
}
