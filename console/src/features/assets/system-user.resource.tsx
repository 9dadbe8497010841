import { IdCard, KeyRound, UserRoundPlus } from 'lucide-react';
import type { Api } from '#/lib/api-types';
import { Grants } from '#/domain/grants/Grants';
import { SessionHistory } from '#/domain/session-history/SessionHistory';
import { OPENED_PROTOCOLS } from '#/domain/protocols';
import { translate } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { currentSession } from '#/lib/session';
import { defineResource, type FieldContext, type FieldGroup, type NamesOf } from '#/resource/define';
import { AmountCell, CopyCell } from '#/resource/format';
import { systemUserRoutes } from './addresses';
import { startOnSystemUser } from './host-jobs';
import { lazyPart } from '#/resource/lazy-part';
import { commandFilterOptions } from '#/domain/remotes';

const AccountsOfSystemUser = lazyPart(async () => (await import('./accounts/Accounts')).AccountsOfSystemUser);
const RelatedAssets = lazyPart(async () => (await import('./RelatedSystemUsers')).RelatedAssets);

const FiltersOfSystemUser = lazyPart(
  async () => (await import('./command-filters/FilterCards')).FiltersOfSystemUser,
);

export type SystemUserRow = Pick<
  Api<'SystemUser'>,
  | 'id'
  | 'name'
  | 'username'
  | 'username_same_with_user'
  | 'type'
  | 'login_mode'
  | 'protocol'
  | 'assets_amount'
  | 'ssh_key_fingerprint'
  | 'cmd_filters'
>;

function isManual({ values }: FieldContext): boolean {
  return values['login_mode'] === 'manual';
}

type Field = NamesOf<'assets/system-users/'>['written'];

/** Groups of the form. Fields that do not apply to the chosen protocol are left out. */
function groups({ values }: FieldContext): readonly FieldGroup<Field>[] {
  const onlySsh = (field: Field): readonly Field[] => (values['protocol'] === 'ssh' ? [field] : []);
  return [
    { title: 'assets:form.basic', fields: ['name', 'protocol', 'username', 'username_same_with_user'] },
    {
      title: 'assets:form.auth',
      fields: ['login_mode', 'password', ...onlySsh('private_key')],
    },
    ...(values['protocol'] === 'ssh'
      ? [{ title: 'assets:filter.many_title', fields: ['cmd_filters'] as const }]
      : []),
    { title: 'assets:form.other', fields: ['priority', ...onlySsh('sftp_root'), 'comment'] },
  ];
}

/** Whether jobs can sign in with the accounts of this system user. */
function hasAccounts(row: SystemUserRow): boolean {
  return (
    currentSession()?.organization.is_root === false &&
    row.protocol === 'ssh' &&
    row.login_mode === 'auto' &&
    row.username_same_with_user !== true
  );
}

export const systemUser = defineResource<SystemUserRow, 'assets/system-users/'>({
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
        cell: (row) => (
          <AmountCell value={row.assets_amount} to={`${paths.systemUser(row.id)}?activeTab=assets`} />
        ),
      },
      'priority',
      'created_by',
      'date_created',
      'date_updated',
      'comment',
      'org_name',
    ],
    shown: ['name', 'username', 'protocol', 'login_mode', 'assets_amount', 'comment'],
  },
  form: {
    groups,
    initial: (query) => ({
      protocol: OPENED_PROTOCOLS.find((protocol) => protocol === query['protocol']) ?? 'ssh',
      login_mode: 'auto',
      sftp_root: 'tmp',
      priority: 81,
    }),
    fields: {
      protocol: { isDisabled: () => true, control: 'select' },
      username: {
        isHidden: ({ values }) => values['username_same_with_user'] === true,
        help: 'assets:form.username_help',
      },
      password: { control: 'password', isHidden: isManual, help: 'assets:form.secret_help' },
      private_key: {
        control: 'key',
        placeholder: '-----BEGIN OPENSSH PRIVATE KEY-----',
        isHidden: isManual,
        help: 'assets:form.private_key_help',
      },
      cmd_filters: { remote: commandFilterOptions, multiple: true, help: 'assets:filter.of_system_user' },
      priority: { help: 'assets:form.priority_help' },
      comment: { control: 'textarea' },
    },
  },
  detail: {
    cards: [
      {
        title: 'assets:form.basic',
        fields: [
          'name',
          'type_display',
          'username',
          'protocol',
          { key: 'login_mode_display', label: 'assets:login_mode' },
          {
            key: 'ssh_key_fingerprint',
            value: (row) => <CopyCell value={row.ssh_key_fingerprint} />,
          },
          'priority',
          'sudo',
          'shell',
          'sftp_root',
          'date_created',
          'created_by',
          'comment',
        ],
      },
    ],
    quick: [
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
        isOffered: (row) => hasAccounts(row) && row.type === 'common',
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
        content: (row) => <RelatedAssets systemUserId={row.id} />,
      },
      {
        id: 'accounts',
        label: 'assets:tab.accounts',
        content: (row) => <AccountsOfSystemUser systemUserId={row.id} />,
      },
      {
        id: 'permissions',
        label: 'assets:tab.permissions',
        content: (row) => <Grants place={{ kind: 'system_user', id: row.id }} />,
      },
      {
        id: 'sessions',
        label: 'assets:tab.sessions',
        content: (row) => <SessionHistory kind="system_user" id={row.id} />,
      },
    ],
  },
});
