import { Bot } from 'lucide-react';
import type { Api } from '#/lib/api-types';
import { defineResource } from '#/resource/define';
import { lazyPart } from '#/resource/lazy-part';
import { formImpact } from '#/domain/access-preview/effects';
import { Grants } from '#/domain/grants/Grants';
import { groupOptions } from '#/domain/remotes';
import { SessionHistory } from '#/domain/session-history/SessionHistory';
import {
  accessReset,
  AccountStatus,
  activeSwitch,
  BULK_ACTIONS,
  BULK_UPDATE,
  farAway,
  isInRoot,
  isSuper,
  keyReset,
  ROW_ACTIONS,
  END_SESSIONS,
  UNBLOCK,
} from '../account-actions';
import { serviceAccountRoutes } from '../addresses';
import { endAccess } from './end-access';

const GrantedAssets = lazyPart(async () => (await import('../GrantedAssets')).GrantedAssets);
const LoginAcls = lazyPart(async () => (await import('../login-acls/LoginAcls')).LoginAcls);
const UserGroupsCard = lazyPart(async () => (await import('../UserGroupsCard')).UserGroupsCard);
const ServiceKeys = lazyPart(async () => (await import('./ServiceKeys')).ServiceKeys);

export type ServiceAccountRow = Pick<
  Api<'User'>,
  | 'id'
  | 'name'
  | 'username'
  | 'role'
  | 'is_active'
  | 'is_expired'
  | 'login_blocked'
  | 'can_update'
  | 'can_delete'
>;

/** Accounts of programs. They are users of another kind, with a list, form and page of their own. */
export const serviceAccount = defineResource<
  ServiceAccountRow,
  'users/users/',
  'set_public_key' | 'confirm_role'
>({
  name: 'ServiceAccountListTable',
  api: 'users/users/',
  routes: serviceAccountRoutes,
  icon: Bot,
  nameOf: (row) => `${row.name} (${row.username})`,
  noun: { one: 'users:service.one', many: 'users:service.many', what: 'users:service.what' },
  can: { update: (row) => row.can_update, delete: (row) => row.can_delete, mayDelete: isSuper },
  list: {
    columns: [
      'name',
      'username',
      { key: 'groups_display', label: 'users:groups', sortable: false },
      { key: 'total_role_display', label: 'users:roles', sortable: false },
      {
        key: 'is_valid',
        label: 'users:state.label',
        sortable: false,
        cell: (row) => <AccountStatus row={row} />,
      },
      { key: 'comment', label: 'users:service.owner', sortable: false },
      'date_expired',
      'date_joined',
      'created_by',
      'login_blocked',
    ],
    shown: ['name', 'username', 'groups_display', 'total_role_display', 'is_valid', 'comment'],
    // The page names the kind. The others say something about people only.
    untyped: ['kind', 'email', 'source'],
    // A file may hold both kinds: it is read on the list of people, and its column says which is which.
    exchange: { import: false },
    bulkUpdate: BULK_UPDATE,
    isInactive: (row) => !row.is_active,
    phone: {
      icon: Bot,
      meta: (row) => <span className="truncate">{row.username}</span>,
      status: (row) => <AccountStatus row={row} />,
    },
    rowActions: ROW_ACTIONS,
    bulkActions: BULK_ACTIONS,
  },
  form: {
    method: 'patch',
    opensDetail: 'create',
    aside: formImpact('user'),
    groups: [
      { title: 'users:form.account', fields: ['name', 'username', 'comment', 'groups'] },
      { title: 'users:form.auth', fields: ['set_public_key', 'public_key'] },
      {
        title: 'users:form.security',
        fields: ['role', 'confirm_role', 'org_roles', 'date_expired', 'is_active'],
      },
    ],
    initial: () => ({ is_active: true, role: 'User', org_roles: ['User'], set_public_key: false }),
    fields: {
      comment: { label: 'users:service.owner', help: 'users:service.owner_help', control: 'input' },
      groups: { remote: groupOptions, multiple: true, isHidden: isInRoot },
      set_public_key: {
        label: 'users:form.set_public_key',
        help: 'users:service.keys_help',
        control: 'checkbox',
        local: true,
      },
      public_key: {
        control: 'key',
        placeholder: 'ssh-ed25519 AAAA… name@host',
        required: true,
        help: 'users:service.public_key_help',
        isHidden: ({ values }) => values['set_public_key'] !== true,
      },
      role: { isHidden: () => !isSuper() },
      confirm_role: {
        label: 'users:service.confirm_role',
        help: 'users:service.confirm_role_help',
        control: 'checkbox',
        required: true,
        local: true,
        isHidden: ({ values }) => !isSuper() || values['role'] === 'User' || values['role'] === undefined,
      },
      org_roles: {
        label: 'users:form.org_roles',
        isDisabled: isInRoot,
        help: 'users:form.org_roles_help',
      },
      date_expired: {
        noEnd: ({ mode }) => (mode === 'create' ? farAway() : ''),
      },
      is_active: { control: 'switch' },
    },
    toPayload: (values, { mode }) => {
      if (mode === 'update') return values;
      const { date_expired: end, ...rest } = values;
      // Without a date the server applies its default; null would mean "never".
      return {
        ...rest,
        kind: 'service',
        ...(end === null || end === undefined ? {} : { date_expired: end }),
      };
    },
  },
  detail: {
    status: (row) => <AccountStatus row={row} />,
    cards: [
      {
        title: 'users:card.account',
        fields: [
          'name',
          'username',
          { key: 'comment', label: 'users:service.owner' },
          { key: 'total_role_display', label: 'users:roles' },
          { key: 'groups_display', label: 'users:groups' },
        ],
      },
      { title: 'users:card.times', fields: ['date_joined', 'created_by', 'last_login', 'date_expired'] },
    ],
    quick: [
      activeSwitch('users:service.active_on', 'users:service.active_off'),
      keyReset('users:service.clear_key_state'),
      END_SESSIONS,
      accessReset(endAccess),
      UNBLOCK,
    ],
    side: (row, tools) => <UserGroupsCard userId={row.id} person={row.name} onChange={tools.refresh} />,
    tabs: [
      {
        id: 'keys',
        label: 'users:tab.keys',
        permission: 'admin',
        content: (row) => <ServiceKeys account={row} />,
      },
      {
        id: 'assets',
        label: 'users:tab.assets',
        content: (row) => <GrantedAssets base={`perms/users/${row.id}/`} />,
      },
      {
        id: 'permissions',
        label: 'users:tab.permissions',
        content: (row) => <Grants place={{ kind: 'user', id: row.id }} />,
      },
      {
        id: 'sessions',
        label: 'users:tab.sessions',
        content: (row) => <SessionHistory kind="user" id={row.id} />,
      },
      {
        id: 'login-acls',
        label: 'users:tab.login_acls',
        permission: 'admin',
        content: (row) => <LoginAcls userId={row.id} />,
      },
    ],
  },
});
