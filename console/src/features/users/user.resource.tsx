import { CircleCheck, CirclePause, KeyRound, LockOpen, Power, RectangleEllipsis, User } from 'lucide-react';
import { http } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import { currentSession } from '#/lib/session';
import { ResourceList } from '#/resource/list/ResourceList';
import { defineResource, type ActionTools, type FieldContext } from '#/resource/define';
import { groupOptions } from '#/resource/remotes';
import { toast } from '#/ui/toast';
import { Status } from '#/ui/status';
import { userScreens } from './routes';
import { grantsOfUser } from './grants.resource';
import { resetPassword } from './set-password-link';
import { lazyPart } from '#/resource/lazy-part';

const GrantedAssets = lazyPart(async () => (await import('./GrantedAssets')).GrantedAssets);
const PasswordField = lazyPart(async () => (await import('./PasswordField')).PasswordField);

export interface UserRow {
  readonly id: string;
  readonly name: string;
  readonly username: string;
  readonly email: string;
  readonly source: string;
  readonly is_active: boolean;
  readonly is_valid: boolean;
  readonly is_expired: boolean;
  readonly login_blocked: boolean;
  readonly mfa_enabled: boolean;
  readonly can_update: boolean;
  readonly can_delete: boolean;
}

function isSuper(): boolean {
  return currentSession()?.profile.is_superuser ?? false;
}

function isLocal({ values }: FieldContext): boolean {
  return values['source'] === undefined || values['source'] === 'local';
}

async function setActive(ids: readonly string[], active: boolean, tools: ActionTools): Promise<void> {
  await http.patch(
    'users/users/',
    ids.map((id) => ({ id, is_active: active })),
  );
  toast({
    tone: 'ok',
    text: translate(active ? 'users:activated' : 'users:deactivated', { count: ids.length }),
  });
  tools.refresh();
}

/** Valid, or the first reason why not. */
function UserStatus({ row }: { readonly row: UserRow }) {
  if (!row.is_active) return <Status tone="unknown">{translate('users:state.inactive')}</Status>;
  if (row.is_expired) return <Status tone="danger">{translate('users:state.expired')}</Status>;
  if (row.login_blocked) return <Status tone="warn">{translate('users:state.blocked')}</Status>;
  return <Status tone="ok">{translate('users:state.valid')}</Status>;
}

export const user = defineResource<UserRow>({
  name: 'UserListTable',
  api: 'users/users/',
  routes: userScreens,
  icon: User,
  nameOf: (row) => `${row.name} (${row.username})`,
  noun: { one: 'users:user.one', many: 'users:user.many', what: 'users:user.what' },
  can: { update: (row) => row.can_update, delete: (row) => row.can_delete },
  list: {
    columns: [
      'name',
      'username',
      'email',
      'phone',
      'wechat',
      { key: 'groups_display', sortable: false },
      { key: 'total_role_display', label: 'users:roles', sortable: false },
      'source',
      {
        key: 'is_valid',
        label: 'users:state.label',
        sortable: false,
        cell: (row) => <UserStatus row={row} />,
      },
      'login_blocked',
      'mfa_enabled',
      'is_expired',
      'last_login',
      'date_joined',
      'date_password_last_updated',
      'comment',
      'created_by',
    ],
    shown: [
      'name',
      'username',
      'email',
      'groups_display',
      'total_role_display',
      'source',
      'is_valid',
      'last_login',
    ],
    isInactive: (row) => !row.is_active,
    phone: {
      icon: User,
      meta: (row) => <span>{row.username}</span>,
      status: (row) => <UserStatus row={row} />,
    },
    bulkActions: [
      {
        id: 'activate',
        label: 'users:activate',
        icon: CircleCheck,
        run: (ids, tools) => setActive(ids, true, tools),
      },
      {
        id: 'deactivate',
        label: 'users:deactivate',
        icon: CirclePause,
        run: (ids, tools) => setActive(ids, false, tools),
      },
    ],
  },
  form: {
    groups: [
      { title: 'users:form.account', fields: ['name', 'username', 'email', 'groups'] },
      {
        title: 'users:form.auth',
        fields: ['password_strategy', 'password', 'need_update_password', 'public_key', 'source'],
      },
      { title: 'users:form.security', fields: ['role', 'date_expired', 'is_active'] },
      { title: 'users:form.other', fields: ['phone', 'wechat', 'comment'] },
    ],
    initial: () => ({ is_active: true, password_strategy: 'custom', source: 'local', role: 'User' }),
    fields: {
      groups: { remote: groupOptions, multiple: true },
      password_strategy: { isHidden: (context) => context.mode === 'update' || !isLocal(context) },
      password: {
        isHidden: (context) =>
          !isLocal(context) ||
          (context.mode === 'create' && context.values['password_strategy'] !== 'custom'),
        render: (input) => <PasswordField input={input} />,
        help: ({ mode }) =>
          mode === 'create' ? 'users:form.password_create_help' : 'users:form.password_help',
      },
      need_update_password: { isHidden: (context) => !isLocal(context) },
      public_key: { control: 'public-key', help: 'users:form.public_key_help' },
      role: { isHidden: () => !isSuper() },
      is_active: { control: 'switch' },
    },
    toPayload: (values, { values: all, mode }) => {
      if (mode === 'create' && all['password_strategy'] === 'email') {
        const { password: _dropped, ...rest } = values;
        return rest;
      }
      return values;
    },
  },
  detail: {
    status: (row) => <UserStatus row={row} />,
    cards: [
      {
        title: 'users:card.account',
        fields: [
          'name',
          'username',
          'email',
          { key: 'total_role_display', label: 'users:roles' },
          'groups_display',
          'source_display',
          'mfa_level_display',
          'phone',
          'comment',
        ],
      },
      {
        title: 'users:card.times',
        fields: ['date_joined', 'created_by', 'last_login', 'date_password_last_updated', 'date_expired'],
      },
    ],
    quick: [
      {
        id: 'active',
        label: 'users:quick.active',
        icon: Power,
        state: (row) => translate(row.is_active ? 'users:quick.active_on' : 'users:quick.active_off'),
        disabledReason: (row) => (row.can_update ? undefined : translate('resource:not_allowed')),
        control: {
          kind: 'switch',
          value: (row) => row.is_active,
          change: (row, on) => http.patch(`users/users/${row.id}/`, { is_active: on }),
        },
      },
      {
        id: 'unblock',
        label: 'users:quick.unblock',
        icon: LockOpen,
        state: (row) => translate(row.login_blocked ? 'users:quick.blocked' : 'users:quick.not_blocked'),
        isOffered: (row) => row.login_blocked,
        control: {
          kind: 'button',
          label: 'users:quick.unblock',
          run: (row) => http.patch(`users/users/${row.id}/unblock/`, {}),
        },
      },
      {
        id: 'password',
        label: 'users:quick.reset_password',
        icon: RectangleEllipsis,
        state: () => translate('users:quick.reset_password_state'),
        disabledReason: (row) => (row.source === 'local' ? undefined : translate('users:quick.not_local')),
        control: {
          kind: 'button',
          label: 'users:quick.reset',
          run: resetPassword,
        },
      },
      {
        id: 'key',
        label: 'users:quick.reset_key',
        icon: KeyRound,
        state: () => translate('users:quick.reset_key_state'),
        control: {
          kind: 'button',
          label: 'users:quick.reset',
          run: (row) => http.patch(`users/users/${row.id}/pubkey/reset/`, {}),
        },
      },
    ],
    tabs: [
      {
        id: 'assets',
        label: 'users:tab.assets',
        content: (row) => <GrantedAssets base={`perms/users/${row.id}/`} />,
      },
      {
        id: 'permissions',
        label: 'users:tab.permissions',
        content: (row) => <ResourceList resource={grantsOfUser} query={{ user_id: row.id }} embedded />,
      },
    ],
  },
});
