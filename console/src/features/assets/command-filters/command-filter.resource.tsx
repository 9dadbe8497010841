import { Power, ShieldHalf } from 'lucide-react';
import type { Api } from '#/lib/api-types';
import { http } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { systemUserOptions } from '#/domain/remotes';
import { defineResource } from '#/resource/define';
import { AmountCell } from '#/resource/format';
import { lazyPart } from '#/resource/lazy-part';
import { Count, Status } from '#/ui/status';
import { commandFilterRoutes } from '../addresses';

const SystemUsersOfFilter = lazyPart(async () => (await import('./FilterCards')).SystemUsersOfFilter);
const RuleTab = lazyPart(async () => (await import('./RuleTab')).RuleTab);
const TryLine = lazyPart(async () => (await import('./TryLine')).TryLine);

export type CommandFilterRow = Pick<
  Api<'CommandFilter'>,
  'id' | 'name' | 'is_active' | 'comment' | 'rules' | 'system_users'
>;

function Active({ row }: { readonly row: CommandFilterRow }) {
  return (
    <Status tone={row.is_active ? 'ok' : 'unknown'}>
      {translate(row.is_active ? 'command-filters:active' : 'command-filters:inactive')}
    </Status>
  );
}

export const commandFilter = defineResource<CommandFilterRow, 'assets/cmd-filters/'>({
  name: 'CommandFilterListTable',
  api: 'assets/cmd-filters/',
  routes: commandFilterRoutes,
  icon: ShieldHalf,
  nameOf: (row) => row.name,
  noun: { one: 'command-filters:one', many: 'command-filters:many', what: 'command-filters:what' },
  can: { delete: () => true, clone: false },
  list: {
    columns: [
      'name',
      {
        key: 'rules',
        align: 'right',
        sortable: false,
        cell: (row) => (
          <AmountCell value={row.rules.length} to={`${paths.commandFilter(row.id)}?activeTab=rules`} />
        ),
      },
      {
        key: 'system_users',
        align: 'right',
        sortable: false,
        cell: (row) => <AmountCell value={row.system_users?.length ?? 0} to={paths.commandFilter(row.id)} />,
      },
      { key: 'unresolved', label: 'command-filters:unresolved_short' },
      { key: 'is_active', cell: (row) => <Active row={row} /> },
      'created_by',
      'date_created',
      'comment',
      'org_name',
    ],
    shown: ['name', 'rules', 'system_users', 'unresolved', 'is_active', 'comment'],
    exchange: { export: false, import: false },
    isInactive: (row) => row.is_active === false,
    phone: {
      icon: ShieldHalf,
      meta: (row) => <Active row={row} />,
      status: (row) => <Count>{row.rules.length}</Count>,
    },
  },
  form: {
    groups: [
      { title: 'assets:form.basic', fields: ['name', 'system_users', 'unresolved', 'is_active', 'comment'] },
    ],
    initial: (query) => ({
      is_active: true,
      unresolved: 'allow',
      system_users: query['system_user'] ? [query['system_user']] : [],
    }),
    fields: {
      system_users: {
        remote: { ...systemUserOptions, query: { protocol: 'ssh' } },
        multiple: true,
        help: 'command-filters:system_users_help',
      },
      unresolved: { control: 'radio' },
      is_active: { control: 'switch' },
      comment: { control: 'textarea' },
    },
    opensDetail: 'create',
  },
  detail: {
    status: (row) => <Active row={row} />,
    cards: [
      {
        title: 'assets:form.basic',
        fields: [
          'name',
          'unresolved_display',
          'is_active',
          'date_created',
          'created_by',
          'date_updated',
          'comment',
        ],
      },
    ],
    quick: [
      {
        id: 'active',
        label: 'assets:quick.active',
        icon: Power,
        state: (row) =>
          translate(row.is_active ? 'command-filters:active_what' : 'command-filters:inactive_what'),
        control: {
          kind: 'switch',
          value: (row) => row.is_active ?? true,
          change: (row, on) => http.patch(`assets/cmd-filters/${row.id}/`, { is_active: on }),
        },
      },
    ],
    side: (row, tools) => (
      <>
        <SystemUsersOfFilter row={row} onChange={tools.refresh} />
        <TryLine filterId={row.id} />
      </>
    ),
    tabs: [
      {
        id: 'rules',
        label: 'command-filters:rules',
        count: (row) => row.rules.length,
        content: (row, tools) => <RuleTab filterId={row.id} onChange={tools.refresh} />,
      },
    ],
  },
});
