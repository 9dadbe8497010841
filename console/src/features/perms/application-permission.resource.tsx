import { AppWindow } from 'lucide-react';
import {
  type ApplicationCategory,
  applicationPath,
  categoryOf,
  createEntries,
  protocolOf,
} from '#/domain/application-kinds/kinds';
import { applicationsOf, systemUsersSpeaking } from '#/domain/application-kinds/options';
import type { ExplainProps } from '#/domain/explain-access/ExplainAccess';
import type { Api } from '#/lib/api-types';
import { applicationPermissionRoutes } from './addresses';
import type { LinkedObjects, PermissionRow } from './kind';
import { applicationsIn } from './named';
import { freshTerms, prefilled, prefilledPeople } from './permission-form';
import { systemUsersCard } from './permission-parts';
import { permissionResource } from './permission-resource';

/** An application permission, as far as its screens use it. */
export type ApplicationPermissionRow = PermissionRow &
  Pick<
    Api<'ApplicationPermission'>,
    'category' | 'type' | 'type_display' | 'applications' | 'applications_display' | 'applications_amount'
  >;

/** Applications of the permission's type, and the system users that can sign in to them. */
function cardsOf({ category, type }: ApplicationPermissionRow): readonly LinkedObjects[] {
  return [
    {
      title: 'perms:card.applications',
      add: 'perms:card.add_application',
      remote: applicationsOf(category, type),
      path: 'applications',
      other: 'application',
      linkTo: (id) => applicationPath({ id, category }),
    },
    systemUsersCard(systemUsersSpeaking(protocolOf(type))),
  ];
}

function categoryIn(type: unknown): ApplicationCategory {
  return categoryOf(String(type)) ?? 'db';
}

/** Questions about applications of this type. */
function explained(type: string): ExplainProps {
  return {
    applications: applicationsOf(categoryIn(type), type),
    systemUsers: systemUsersSpeaking(protocolOf(type)),
  };
}

export const applicationPermission = permissionResource<
  ApplicationPermissionRow,
  'perms/application-permissions/'
>({
  name: 'ApplicationPermissionListTable',
  links: { api: 'perms/application-permissions', own: 'applicationpermission' },
  object: 'application_permission',
  routes: applicationPermissionRoutes,
  noun: {
    one: 'perms:app_permission.one',
    many: 'perms:app_permission.many',
    what: 'perms:app_permission.what',
  },
  icon: AppWindow,
  whatOf: applicationsIn,
  nothing: 'perms:state.no_application',
  list: {
    place: ['category', 'type', 'app'],
    columns: ['type', 'category'],
    amounts: ['applications_amount'],
    filters: [
      { key: 'app_name', label: 'perms:filter.application' },
      { key: 'system_user', label: 'perms:filter.system_user' },
    ],
    untyped: ['type__in'],
    createMenu: () => createEntries(applicationPermissionRoutes.paths.create ?? ''),
    phone: (row) => row.type_display,
  },
  form: {
    basic: ['category', 'type'],
    targets: { title: 'perms:form.application', fields: ['applications', 'system_users'] },
    more: [],
    initial: (query) => {
      const category = categoryOf(query['type']);
      return {
        category: category ?? 'db',
        type: category === undefined ? 'mysql' : query['type'],
        ...prefilledPeople(query),
        applications: prefilled(query, 'application'),
        ...freshTerms(),
      };
    },
    fields: {
      category: { control: 'select', isDisabled: () => true },
      type: { control: 'select', isDisabled: () => true, help: 'perms:form.type_help' },
      applications: {
        label: 'perms:card.applications',
        remote: ({ values }) => applicationsOf(categoryIn(values['type']), String(values['type'])),
        multiple: true,
      },
      system_users: {
        remote: ({ values }) => systemUsersSpeaking(protocolOf(String(values['type']))),
        multiple: true,
        required: true,
        help: 'perms:form.speaking_help',
      },
    },
    lists: ['applications'],
    // Category and type never change.
    terms: ({ category, type }, mode) => (mode === 'create' ? { category, type } : {}),
    incomplete: 'perms:preview.incomplete_application',
    explain: ({ type }) => explained(String(type)),
  },
  detail: {
    facts: ['type', 'category'],
    explain: ({ type }) => explained(type),
    tab: 'perms:tab.applications',
    cards: cardsOf,
  },
});
