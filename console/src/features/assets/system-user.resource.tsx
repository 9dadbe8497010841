import { IdCard, KeyRound, RefreshCcw, UserRoundPlus } from 'lucide-react';
import { ApplicationGrants, Grants } from '#/domain/grants/Grants';
import { SessionHistory } from '#/domain/session-history/SessionHistory';
import { http } from '#/lib/http/client';
import { loadNamespaces, translate } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { defineResource, type ResourceDefinition } from '#/resource/define';
import { AmountCell, CopyCell } from '#/resource/format';
import { lazyPart } from '#/resource/lazy-part';
import { adminUserRoutes, systemUserListOf, systemUserRoutes } from './addresses';
import { startOnSystemUser } from './host-jobs';
import { createMenu, systemUserForm } from './system-user-form';
import {
  hasAccounts,
  hasAutoPush,
  isForApplications,
  isPushable,
  type SystemUserRow,
} from './system-user-kinds';

const AccountsOfSystemUser = lazyPart(async () => {
  const [part] = await Promise.all([import('./accounts/Accounts'), loadNamespaces(['accounts'])]);
  return part.AccountsOfSystemUser;
});
const SystemUserAssets = lazyPart(async () => (await import('./SystemUserAssets')).SystemUserAssets);

const FiltersOfSystemUser = lazyPart(
  async () => (await import('./command-filters/FilterCards')).FiltersOfSystemUser,
);

/** The rows of the list of common system users. */
export const COMMON = { type: 'common' };

const isSsh = (row: SystemUserRow) => row.protocol === 'ssh';
const isPushed = (row: SystemUserRow) => isSsh(row) && row.type === 'common';

function Assets({ row }: { readonly row: SystemUserRow }) {
  return <AmountCell value={row.assets_amount} to={`${paths.systemUser(row.id)}?activeTab=assets`} />;
}

export const systemUser = defineResource<SystemUserRow, 'assets/system-users/', 'update_password'>({
  name: 'SystemUserListTable',
  api: 'assets/system-users/',
  routes: systemUserRoutes,
  icon: IdCard,
  nameOf: (row) => row.name,
  noun: { one: 'assets:system_user.one', many: 'assets:system_user.many', what: 'assets:system_user.what' },
  can: { delete: () => true },
  list: {
    columns: [
      'name',
      'username',
      'username_same_with_user',
      'protocol',
      'login_mode',
      {
        key: 'assets_amount',
        align: 'right',
        sortable: false,
        cell: (row) => <Assets row={row} />,
      },
      'priority',
      'created_by',
      'date_created',
      'date_updated',
      'comment',
      'org_name',
    ],
    shown: ['name', 'username', 'protocol', 'login_mode', 'assets_amount', 'comment'],
    untyped: ['type'],
    createMenu,
    exchange: {},
  },
  form: systemUserForm,
  detail: {
    cards: [
      {
        title: 'assets:form.basic',
        fields: [
          'name',
          'type_display',
          'username',
          'protocol',
          { key: 'login_mode_display', label: 'assets:login_mode', isShown: (row) => row.type === 'common' },
          {
            key: 'ssh_key_fingerprint',
            value: (row) => <CopyCell value={row.ssh_key_fingerprint} />,
            isShown: isSsh,
          },
          'priority',
          { key: 'sudo', isShown: isPushed },
          { key: 'shell', isShown: isPushed },
          { key: 'home', isShown: isPushed },
          { key: 'system_groups', isShown: isPushed },
          { key: 'ad_domain', isShown: (row) => row.protocol === 'rdp' },
          { key: 'sftp_root', isShown: isSsh },
          'date_created',
          'created_by',
          'comment',
        ],
      },
    ],
    backTo: (row) => systemUserListOf(row.type),
    quick: [
      {
        id: 'auto_push',
        label: 'assets:quick.auto_push',
        icon: RefreshCcw,
        state: (row) =>
          translate(row.auto_push === true ? 'assets:quick.auto_push_on' : 'assets:quick.auto_push_off'),
        isOffered: hasAutoPush,
        control: {
          kind: 'switch',
          value: (row) => row.auto_push === true,
          change: (row, on) => http.patch(`assets/system-users/${row.id}/`, { auto_push: on }),
        },
      },
      {
        id: 'test',
        label: 'assets:job.test_accounts',
        icon: KeyRound,
        state: () => translate('assets:job.test_accounts_effect'),
        isOffered: hasAccounts,
        control: {
          kind: 'button',
          label: 'assets:job.start',
          run: (row) => startOnSystemUser('test', row.id),
        },
      },
      {
        id: 'push',
        label: 'assets:job.push_accounts',
        icon: UserRoundPlus,
        state: () => translate('assets:job.push_accounts_effect'),
        isOffered: isPushable,
        control: {
          kind: 'button',
          label: 'assets:job.start',
          run: (row) => startOnSystemUser('push', row.id),
        },
      },
    ],
    side: (row, tools) =>
      row.protocol === 'ssh' ? <FiltersOfSystemUser row={row} onChange={tools.refresh} /> : null,
    tabs: [
      {
        id: 'assets',
        label: 'assets:tab.assets',
        count: (row) => row.assets_amount,
        content: (row, tools) => <SystemUserAssets row={row} onChange={tools.refresh} />,
      },
      {
        id: 'accounts',
        label: 'assets:tab.accounts',
        content: (row) => <AccountsOfSystemUser systemUserId={row.id} />,
      },
      {
        id: 'permissions',
        label: 'assets:tab.permissions',
        content: (row) =>
          isForApplications(row) ? (
            <ApplicationGrants place={{ kind: 'system_user', id: row.id }} />
          ) : (
            <Grants place={{ kind: 'system_user', id: row.id }} />
          ),
      },
      {
        id: 'sessions',
        label: 'assets:tab.sessions',
        content: (row) => <SessionHistory kind="system_user" id={row.id} />,
      },
    ],
  },
});

/** System users of type admin. They have their own list and are created on it; form and page are those of all. */
export const adminUser: ResourceDefinition<SystemUserRow> = {
  ...systemUser,
  name: 'AdminUserListTable',
  api: 'assets/admin-users/',
  routes: adminUserRoutes,
  noun: { one: 'assets:admin_noun.one', many: 'assets:admin_noun.many', what: 'assets:admin_noun.what' },
  list: {
    columns: [
      'name',
      'username',
      { key: 'assets_amount', align: 'right', sortable: false, cell: (row) => <Assets row={row} /> },
      'created_by',
      'date_created',
      'date_updated',
      'comment',
      'org_name',
    ],
    shown: ['name', 'username', 'assets_amount', 'comment'],
    exchange: {},
  },
};
