import { Users } from 'lucide-react';
import type { Api } from '#/lib/api-types';
import { loadNamespaces } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { defineResource } from '#/resource/define';
import { AmountCell } from '#/resource/format';
import { accessEffect, deletionEffect, formImpact, importEffect } from '#/domain/access-preview/effects';
import { ApplicationGrants, Grants } from '#/domain/grants/Grants';
import { userOptions } from '#/domain/remotes';
import { groupRoutes } from './addresses';
import { mayLeave } from './leaving';
import { lazyPart } from '#/resource/lazy-part';

const RelationCard = lazyPart(async () => (await import('#/resource/detail/RelationCard')).RelationCard);
const GrantedApplications = lazyPart(async () => {
  const [part] = await Promise.all([import('./GrantedApplications'), loadNamespaces(['application-kinds'])]);
  return part.GrantedApplications;
});
const GrantedAssets = lazyPart(async () => (await import('./GrantedAssets')).GrantedAssets);

export type GroupRow = Pick<Api<'UserGroup'>, 'id' | 'name' | 'users' | 'users_amount' | 'comment'>;

export const group = defineResource<GroupRow, 'users/groups/'>({
  name: 'UserGroupListTable',
  api: 'users/groups/',
  routes: groupRoutes,
  icon: Users,
  nameOf: (row) => row.name,
  noun: { one: 'users:group.one', many: 'users:group.many', what: 'users:group.what' },
  can: { delete: () => true },
  deleteEffect: deletionEffect('user_group'),
  list: {
    columns: [
      'name',
      {
        key: 'users_amount',
        sortable: false,
        align: 'right',
        cell: (row) => <AmountCell value={row.users_amount} to={paths.userGroup(row.id)} />,
      },
      'date_created',
      'created_by',
      'org_name',
      'comment',
    ],
    shown: ['name', 'users_amount', 'comment'],
    exchange: { importEffect: importEffect('user_group') },
    phone: { icon: Users, meta: (row) => <span>{row.comment}</span> },
  },
  form: {
    groups: [{ title: 'users:form.basic', fields: ['name', 'users', 'comment'] }],
    fields: { users: { remote: userOptions, multiple: true } },
    aside: formImpact('user_group'),
  },
  detail: {
    cards: [
      {
        title: 'resource:tab.basic',
        fields: ['name', 'users_amount', 'created_by', 'date_created', 'comment'],
      },
    ],
    side: (row, tools) => (
      <RelationCard
        title="users:group.members"
        add="users:group.add_member"
        remote={userOptions}
        relation={{ api: 'users/users-groups-relations/', own: 'usergroup', other: 'user' }}
        id={row.id}
        linkTo={paths.user}
        onChange={tools.refresh}
        beforeRemove={(other, name) => mayLeave(row, other, name)}
        effectOfAdding={(added) =>
          accessEffect([{ object: 'user_group', action: 'update', id: row.id, values: { add: added } }])
        }
      />
    ),
    tabs: [
      {
        id: 'assets',
        label: 'users:tab.assets',
        content: (row) => <GrantedAssets base={`perms/user-groups/${row.id}/`} />,
      },
      {
        id: 'permissions',
        label: 'users:tab.permissions',
        content: (row) => <Grants place={{ kind: 'user_group', id: row.id }} />,
      },
      {
        id: 'applications',
        label: 'users:tab.applications',
        content: (row) => <GrantedApplications base={`perms/user-groups/${row.id}/`} of="group" />,
      },
      {
        id: 'app-permissions',
        label: 'users:tab.app_permissions',
        content: (row) => <ApplicationGrants place={{ kind: 'user_group', id: row.id }} />,
      },
    ],
  },
});
