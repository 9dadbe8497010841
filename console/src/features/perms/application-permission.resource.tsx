import { KeyRound } from 'lucide-react';
import {
  applicationPath,
  type ApplicationCategory,
  categoryOf,
  createEntries,
  protocolOf,
} from '#/domain/application-kinds/kinds';
import { applicationsOf, systemUsersSpeaking } from '#/domain/application-kinds/options';
import { importEffect } from '#/domain/access-preview/effects';
import { translate } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { type ActionTools, defineResource, type FieldContext, type RemoteOptions } from '#/resource/define';
import { AmountCell } from '#/resource/format';
import { ExplainCard } from '#/domain/explain-access/ExplainCard';
import { lazyPart } from '#/resource/lazy-part';
import { applicationPermissionRoutes } from './addresses';
import type { ApplicationPermissionRow } from './application-permission-row';
import {
  freshTerms,
  INHERITED_FILTER,
  PEOPLE_FIELDS,
  PEOPLE_FILTERS,
  prefilled,
  prefilledPeople,
  TERMS_FIELDS,
} from './permission-form';
import {
  activeSwitch,
  LinkCards,
  type LinkedObjects,
  PEOPLE,
  type PermissionLinks,
  systemUsersCard,
  termsColumns,
} from './permission-parts';
import { Until, Validity } from './Validity';

const Sentence = lazyPart(async () => (await import('./ApplicationSentence')).ApplicationSentence);

const API = 'perms/application-permissions/';
const LINKS: PermissionLinks = { api: 'perms/application-permissions', own: 'applicationpermission' };

type Amount = 'users_amount' | 'user_groups_amount' | 'applications_amount' | 'system_users_amount';

// i18n: perms:amount.*
/** A number of objects. It leads to the tab that lists them. */
function amount(key: Amount, tab: 'people' | 'targets') {
  return {
    key,
    label: `perms:amount.${key.replace('_amount', '')}`,
    align: 'right' as const,
    sortable: true,
    cell: (row: ApplicationPermissionRow) => (
      <AmountCell value={row[key]} to={`${paths.applicationPermission(row.id)}?activeTab=${tab}`} />
    ),
  };
}

/** Applications of the permission's type, and the system users that can sign in to them. */
function targetsOf({ category, type }: ApplicationPermissionRow): readonly LinkedObjects[] {
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

function Targets({ row, tools }: { readonly row: ApplicationPermissionRow; readonly tools: ActionTools }) {
  return <LinkCards links={LINKS} cards={targetsOf(row)} id={row.id} onChange={tools.refresh} />;
}

function categoryIn(type: unknown): ApplicationCategory {
  return categoryOf(String(type)) ?? 'db';
}

function applicationsFor({ values }: FieldContext): RemoteOptions {
  return applicationsOf(categoryIn(values['type']), String(values['type']));
}

function systemUsersFor({ values }: FieldContext): RemoteOptions {
  return systemUsersSpeaking(protocolOf(String(values['type'])));
}

export const applicationPermission = defineResource<
  ApplicationPermissionRow,
  'perms/application-permissions/'
>({
  name: 'ApplicationPermissionListTable',
  api: API,
  routes: applicationPermissionRoutes,
  icon: KeyRound,
  nameOf: (row) => row.name,
  noun: {
    one: 'perms:app_permission.one',
    many: 'perms:app_permission.many',
    what: 'perms:app_permission.what',
  },
  can: { delete: () => true },
  list: {
    exchange: { importEffect: importEffect('application_permission') },
    place: ['category', 'type', 'app'],
    columns: [
      'name',
      'type',
      'category',
      amount('users_amount', 'people'),
      amount('user_groups_amount', 'people'),
      amount('applications_amount', 'targets'),
      amount('system_users_amount', 'targets'),
      ...termsColumns<ApplicationPermissionRow>(),
      'is_expired',
      'is_active',
      'date_start',
      'created_by',
      'date_created',
      'comment',
      'org_name',
    ],
    shown: [
      'name',
      'type',
      'users_amount',
      'user_groups_amount',
      'applications_amount',
      'system_users_amount',
      'date_expired',
      'is_valid',
    ],
    filters: [
      ...PEOPLE_FILTERS,
      { key: 'app_name', label: 'perms:filter.application' },
      { key: 'system_user', label: 'perms:filter.system_user' },
      INHERITED_FILTER,
    ],
    untyped: ['type__in'],
    createMenu: () => createEntries(applicationPermissionRoutes.paths.create ?? ''),
    isInactive: (row) => !row.is_valid,
    phone: {
      icon: KeyRound,
      meta: (row) => <span>{row.type_display}</span>,
      note: (row) => (
        <div className="whitespace-nowrap">
          {translate('perms:column.until')}: <Until value={row.date_expired} />
        </div>
      ),
      status: (row) => <Validity row={row} />,
    },
  },
  form: {
    groups: [
      { title: 'perms:form.basic', fields: ['name', 'category', 'type'] },
      { title: 'perms:form.user', fields: ['users', 'user_groups'] },
      { title: 'perms:form.application', fields: ['applications', 'system_users'] },
      { title: 'perms:form.other', fields: ['is_active', 'date_start', 'date_expired', 'comment'] },
    ],
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
      ...PEOPLE_FIELDS,
      applications: { label: 'perms:card.applications', remote: applicationsFor, multiple: true },
      system_users: {
        remote: systemUsersFor,
        multiple: true,
        required: true,
        help: 'perms:form.speaking_help',
      },
      ...TERMS_FIELDS,
    },
  },
  detail: {
    status: (row) => <Validity row={row} />,
    cards: [
      {
        title: 'perms:form.basic',
        fields: ['name', 'type', 'category', 'is_active', 'date_created', 'created_by', 'comment'],
      },
    ],
    lead: (row) => <Sentence row={row} />,
    quick: [activeSwitch<ApplicationPermissionRow>(API)],
    side: ({ category, type }) => (
      <ExplainCard
        applications={applicationsOf(category, type)}
        systemUsers={systemUsersSpeaking(protocolOf(type))}
      />
    ),
    tabs: [
      {
        id: 'people',
        label: 'perms:tab.people',
        content: (row, tools) => (
          <LinkCards links={LINKS} cards={PEOPLE} id={row.id} onChange={tools.refresh} />
        ),
      },
      {
        id: 'targets',
        label: 'perms:tab.applications',
        content: (row, tools) => <Targets row={row} tools={tools} />,
      },
    ],
  },
});
