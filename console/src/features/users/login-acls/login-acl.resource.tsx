import { DoorOpen, Power } from 'lucide-react';
import type { Api } from '#/lib/api-types';
import { http } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import { defineResource, type FieldContext } from '#/resource/define';
import { ChipsCell } from '#/resource/format';
import { objectPath } from '#/resource/routes';
import { userOptions } from '#/domain/remotes';
import { AppLink } from '#/ui/link';
import { Status } from '#/ui/status';
import { loginAclRoutes, userRoutes } from '../addresses';
import { AddressesField } from './AddressesField';
import { HoursField } from './HoursField';
import { spanInWords } from './spans';

function loginAclsOf(userId: string): string {
  return `${objectPath(userRoutes.paths.detail, userId)}?activeTab=login-acls`;
}

export type LoginAclRow = Pick<
  Api<'LoginAcl'>,
  'id' | 'name' | 'user' | 'user_display' | 'ip_group' | 'hours' | 'action' | 'action_display' | 'is_active'
>;

function Effect({ row }: { readonly row: LoginAclRow }) {
  if (!row.is_active) return <Status tone="unknown">{translate('users:acl.off')}</Status>;
  return row.action === 'allow' ? (
    <Status tone="ok">{translate('users:acl.only')}</Status>
  ) : (
    <Status tone="danger">{translate('users:acl.never')}</Status>
  );
}

function Times({ row }: { readonly row: LoginAclRow }) {
  return row.hours.length === 0 ? (
    <span>{translate('users:acl.always')}</span>
  ) : (
    <ChipsCell values={row.hours.map(spanInWords)} />
  );
}

/** A rule stays with its person: the form of a new rule takes them from the address. */
function isPersonFixed({ mode }: FieldContext): boolean {
  return mode === 'update' || new URLSearchParams(window.location.search).has('user');
}

export const loginAcl = defineResource<LoginAclRow, 'acls/login-acls/'>({
  name: 'UserAclListTable',
  api: 'acls/login-acls/',
  routes: loginAclRoutes,
  icon: DoorOpen,
  nameOf: (row) => row.name,
  noun: { one: 'users:acl.one', many: 'users:acl.many', what: 'users:acl.what' },
  can: { clone: false },
  list: {
    columns: [
      'name',
      'priority',
      { key: 'action', cell: (row) => <Effect row={row} /> },
      { key: 'ip_group', sortable: false, cell: (row) => <ChipsCell values={row.ip_group} /> },
      { key: 'hours', sortable: false, cell: (row) => <Times row={row} /> },
      'is_active',
      'comment',
      'created_by',
      'date_updated',
    ],
    shown: ['name', 'priority', 'action', 'ip_group', 'hours', 'comment'],
    untyped: ['user'],
    exchange: { export: false, import: false },
    isInactive: (row) => !row.is_active,
    phone: {
      icon: DoorOpen,
      meta: (row) => <span className="truncate font-mono">{row.ip_group.join(', ')}</span>,
      status: (row) => <Effect row={row} />,
    },
  },
  form: {
    groups: [
      { title: 'users:acl.group_who', fields: ['name', 'user', 'priority'] },
      { title: 'users:acl.group_when', fields: ['action', 'ip_group', 'hours'] },
      { title: 'users:form.other', fields: ['is_active', 'comment'] },
    ],
    initial: (query) => ({
      user: query['user'] ?? '',
      action: 'allow',
      ip_group: ['*'],
      hours: [],
      priority: 50,
      is_active: true,
    }),
    fields: {
      user: { remote: userOptions, multiple: false, required: true, isDisabled: isPersonFixed },
      priority: { help: 'users:acl.priority_help' },
      action: {
        control: 'radio',
        help: ({ values }) =>
          values['action'] === 'allow' ? 'users:acl.allow_help' : 'users:acl.reject_help',
      },
      ip_group: { required: true, render: (input) => <AddressesField input={input} /> },
      hours: { render: (input) => <HoursField input={input} /> },
      is_active: { control: 'switch' },
      comment: { control: 'textarea' },
    },
    backTo: (source) => (typeof source['user'] === 'string' ? loginAclsOf(source['user']) : undefined),
  },
  detail: {
    backTo: (row) => loginAclsOf(row.user),
    status: (row) => <Effect row={row} />,
    cards: [
      {
        title: 'users:form.basic',
        fields: [
          'name',
          {
            key: 'user',
            value: (row) => (
              <AppLink to={objectPath(userRoutes.paths.detail, row.user)}>{row.user_display}</AppLink>
            ),
          },
          'priority',
          { key: 'action', value: (row) => <Effect row={row} /> },
          { key: 'ip_group', value: (row) => <ChipsCell values={row.ip_group} /> },
          { key: 'hours', value: (row) => <Times row={row} /> },
          'comment',
          'created_by',
          'date_created',
          'date_updated',
        ],
      },
    ],
    quick: [
      {
        id: 'active',
        label: 'users:acl.active',
        icon: Power,
        state: (row) => translate(row.is_active ? 'users:acl.on' : 'users:acl.off'),
        control: {
          kind: 'switch',
          value: (row) => row.is_active,
          change: (row, on) => http.patch(`acls/login-acls/${row.id}/`, { is_active: on }),
        },
      },
    ],
  },
});
