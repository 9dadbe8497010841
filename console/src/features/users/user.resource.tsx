import { RectangleEllipsis, ShieldOff, User } from 'lucide-react';
import type { Api } from '#/lib/api-types';
import { loadNamespaces, translate } from '#/lib/i18n';
import { currentSession } from '#/lib/session';
import { defineResource, type FieldContext } from '#/resource/define';
import { lazyPart } from '#/resource/lazy-part';
import { everyApplication, everyApplicationAccount } from '#/domain/application-kinds/options';
import { AccessHistory } from '#/domain/access-history/AccessHistory';
import { deletionEffect, formImpact, importEffect } from '#/domain/access-preview/effects';
import { ExplainCard } from '#/domain/explain-access/ExplainCard';
import { ApplicationGrants, Grants } from '#/domain/grants/Grants';
import { groupOptions } from '#/domain/remotes';
import { HoldsCard } from '#/domain/holds/HoldsCard';
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
  notChangeable,
  ROW_ACTIONS,
  END_SESSIONS,
  UNBLOCK,
} from './account-actions';
import { InviteButton } from './InviteButton';
import { hasLicence, resetMfa } from './user-actions';
import { userRoutes } from './addresses';
import { resetAccess, resetPassword, showSetPasswordLink } from './set-password-link';
import { UNBIND_ACTIONS } from './unbind-actions';

const ServiceAccountInstead = lazyPart(
  async () => (await import('./ServiceAccountInstead')).ServiceAccountInstead,
);
const GrantedApplications = lazyPart(async () => {
  const [part] = await Promise.all([import('./GrantedApplications'), loadNamespaces(['application-kinds'])]);
  return part.GrantedApplications;
});
const GrantedAssets = lazyPart(async () => (await import('./GrantedAssets')).GrantedAssets);
const LoginAcls = lazyPart(async () => (await import('./login-acls/LoginAcls')).LoginAcls);
const EndField = lazyPart(async () => (await import('./EndField')).EndField);
const PasswordField = lazyPart(async () => (await import('./PasswordField')).PasswordField);
const UserGroupsCard = lazyPart(async () => (await import('./UserGroupsCard')).UserGroupsCard);

export type UserRow = Pick<
  Api<'User'>,
  | 'id'
  | 'name'
  | 'username'
  | 'email'
  | 'kind'
  | 'source'
  | 'is_active'
  | 'is_valid'
  | 'is_expired'
  | 'login_blocked'
  | 'mfa_enabled'
  | 'can_update'
  | 'can_delete'
>;

/** Without mail nobody gets the link of the strategy `email`: whoever fills in the form would have to pass it on. */
function sendsMail(): boolean {
  return currentSession()?.settings.MAIL_CONFIGURED === true;
}

function isMe(row: UserRow): boolean {
  return currentSession()?.profile.id === row.id;
}

function isLocal({ values }: FieldContext): boolean {
  return values['source'] === undefined || values['source'] === '' || values['source'] === 'local';
}

/** The form asks for the password of a new person. For an existing person it has to be enabled first. */
function wantsPassword(context: FieldContext): boolean {
  if (!isLocal(context)) return false;
  return context.mode === 'create'
    ? context.values['password_strategy'] === 'custom'
    : context.values['update_password'] === true;
}

export const user = defineResource<UserRow, 'users/users/', 'update_password' | 'end' | 'set_public_key'>({
  name: 'UserListTable',
  api: 'users/users/',
  routes: userRoutes,
  icon: User,
  nameOf: (row) => `${row.name} (${row.username})`,
  noun: { one: 'users:user.one', many: 'users:user.many', what: 'users:user.what' },
  deleteEffect: deletionEffect('user'),
  can: { update: (row) => row.can_update, delete: (row) => row.can_delete, mayDelete: isSuper },
  list: {
    columns: [
      'name',
      'username',
      'email',
      'phone',
      'wechat',
      { key: 'groups_display', label: 'users:groups', sortable: false },
      { key: 'total_role_display', label: 'users:roles', sortable: false },
      'source',
      {
        key: 'is_valid',
        label: 'users:state.label',
        sortable: false,
        cell: (row) => <AccountStatus row={row} />,
      },
      'login_blocked',
      'mfa_enabled',
      'is_expired',
      'mfa_force_enabled',
      'last_login',
      'date_joined',
      'date_password_last_updated',
      'comment',
      'created_by',
    ],
    shown: ['name', 'username', 'groups_display', 'total_role_display', 'source', 'is_valid'],
    header: (tools) => <InviteButton onInvited={tools.refresh} />,
    bulkUpdate: BULK_UPDATE,
    rowActions: ROW_ACTIONS,
    untyped: ['kind'],
    exchange: { importEffect: importEffect('user') },
    isInactive: (row) => !row.is_active,
    phone: {
      icon: User,
      meta: (row) => <span className="truncate">{row.email}</span>,
      status: (row) => <AccountStatus row={row} />,
    },
    bulkActions: BULK_ACTIONS,
  },
  form: {
    groups: [
      { title: 'users:form.account', fields: ['name', 'username', 'email', 'groups'] },
      {
        title: 'users:form.auth',
        fields: [
          'password_strategy',
          'update_password',
          'password',
          'end',
          'need_update_password',
          'set_public_key',
          'public_key',
          'mfa_level',
          'source',
        ],
      },
      { title: 'users:form.security', fields: ['role', 'org_roles', 'date_expired', 'is_active'] },
      { title: 'users:form.other', fields: ['phone', 'wechat', 'comment'] },
    ],
    aside: formImpact('user'),
    initial: () => ({
      is_active: true,
      password_strategy: sendsMail() ? 'email' : 'custom',
      source: 'local',
      role: 'User',
      org_roles: ['User'],
      update_password: false,
      set_public_key: false,
    }),
    fields: {
      groups: { remote: groupOptions, multiple: true, isHidden: isInRoot },
      password_strategy: {
        isHidden: (context) => context.mode === 'update' || !isLocal(context),
        help: () => (sendsMail() ? 'users:form.strategy_mail' : 'users:form.strategy_no_mail'),
      },
      update_password: {
        label: 'users:form.update_password',
        control: 'checkbox',
        local: true,
        isHidden: (context) => context.mode === 'create' || !isLocal(context),
      },
      password: {
        required: true,
        isHidden: (context) => !wantsPassword(context),
        render: (input) => <PasswordField input={input} />,
        help: 'users:form.password_help',
      },
      end: {
        label: 'credentials:also_end',
        help: 'credentials:also_end_help',
        // A new person has no credentials yet.
        isHidden: (context) => context.mode === 'create' || !wantsPassword(context),
        render: (input) => <EndField input={input} />,
      },
      need_update_password: { isHidden: (context) => !isLocal(context) },
      set_public_key: { label: 'users:form.set_public_key', control: 'checkbox', local: true },
      public_key: {
        control: 'key',
        placeholder: 'ssh-ed25519 AAAA… name@host',
        required: true,
        help: 'users:form.public_key_help',
        isHidden: ({ values }) => values['set_public_key'] !== true,
      },
      role: { isHidden: () => !isSuper() },
      org_roles: {
        label: 'users:form.org_roles',
        isHidden: () => !hasLicence(),
        isDisabled: isInRoot,
        help: 'users:form.org_roles_help',
      },
      date_expired: { noEnd: ({ mode }) => (mode === 'create' ? farAway() : '') },
      is_active: { control: 'switch' },
    },
    toPayload: (values, { mode }) => {
      if (mode === 'update' || values['date_expired'] !== null) return values;
      // Without a date the server applies its default; null would mean "never".
      const { date_expired: _none, ...rest } = values;
      return rest;
    },
    saved: showSetPasswordLink,
  },
  detail: {
    lead: (row) => (row.kind === 'service' ? <ServiceAccountInstead id={row.id} /> : null),
    status: (row) => <AccountStatus row={row} />,
    cards: [
      {
        title: 'users:card.account',
        fields: [
          'name',
          'username',
          'email',
          { key: 'total_role_display', label: 'users:roles' },
          { key: 'groups_display', label: 'users:groups' },
          'source_display',
          'mfa_level_display',
          'phone',
          'wechat',
          'comment',
        ],
      },
      {
        title: 'users:card.times',
        fields: ['date_joined', 'created_by', 'last_login', 'date_password_last_updated', 'date_expired'],
      },
    ],
    quick: [
      activeSwitch('users:quick.active_on', 'users:quick.active_off'),
      {
        id: 'mfa',
        label: 'users:quick.reset_mfa',
        icon: ShieldOff,
        state: () => translate('users:quick.reset_mfa_state'),
        disabledReason: (row) => {
          if (isMe(row)) return translate('users:quick.own_mfa');
          return row.mfa_enabled ? notChangeable(row) : translate('users:quick.no_mfa');
        },
        control: { kind: 'button', label: 'users:quick.reset', run: resetMfa },
      },
      {
        id: 'password',
        label: 'users:quick.reset_password',
        icon: RectangleEllipsis,
        state: () => translate('users:quick.reset_password_state'),
        disabledReason: (row) =>
          row.source === 'local' ? notChangeable(row) : translate('users:quick.not_local'),
        control: { kind: 'button', label: 'users:quick.reset', run: resetPassword },
      },
      keyReset('users:quick.reset_key_state'),
      END_SESSIONS,
      accessReset<UserRow>(resetAccess, (row) =>
        isMe(row) ? translate('users:quick.own_access') : undefined,
      ),
      UNBLOCK,
      ...UNBIND_ACTIONS,
    ],
    side: (row, tools) => <UserGroupsCard userId={row.id} person={row.name} onChange={tools.refresh} />,
    tabs: [
      {
        id: 'assets',
        label: 'users:tab.assets',
        content: (row) => <GrantedAssets base={`perms/users/${row.id}/`} />,
      },
      {
        id: 'permissions',
        label: 'users:tab.permissions',
        content: (row) => (
          <div className="flex flex-col gap-3.5">
            <Grants place={{ kind: 'user', id: row.id }} />
            <ExplainCard user={row.id} />
          </div>
        ),
      },
      {
        id: 'applications',
        label: 'users:tab.applications',
        content: (row) => <GrantedApplications base={`perms/users/${row.id}/`} of="user" />,
      },
      {
        id: 'app-permissions',
        label: 'users:tab.app_permissions',
        content: (row) => (
          <div className="grid gap-3.5">
            <ApplicationGrants place={{ kind: 'user', id: row.id }} />
            <ExplainCard
              user={row.id}
              applications={everyApplication}
              systemUsers={everyApplicationAccount}
            />
          </div>
        ),
      },
      {
        id: 'history',
        label: 'users:tab.history',
        permission: 'audit',
        content: (row) => <AccessHistory kind="user" id={row.id} />,
      },
      {
        id: 'sessions',
        label: 'users:tab.sessions',
        content: (row) => (
          <div className="grid gap-3.5">
            <HoldsCard object={{ user: row.id }} name={row.name} />
            <SessionHistory kind="user" id={row.id} />
          </div>
        ),
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
