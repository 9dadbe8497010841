import { CircleCheck, CirclePause, KeyRound } from 'lucide-react';
import type { Api } from '#/lib/api-types';
import { http } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import { type ActionTools, defineResource } from '#/resource/define';
import { MonoCell } from '#/resource/format';
import { userOptions } from '#/domain/remotes';
import { Status } from '#/ui/status';
import { objectPath } from '#/resource/routes';
import { serviceAccountRoutes, serviceKeyRoutes } from '../addresses';
import { showSecret } from './show-secret';

export type ServiceKeyRow = Pick<
  Api<'ServiceKey'>,
  'id' | 'comment' | 'user' | 'is_active' | 'has_ended' | 'date_expired'
>;

const API = 'authentication/service-account-keys/';

/** Works, or the reason why not. */
function KeyStatus({ row }: { readonly row: ServiceKeyRow }) {
  if (row.has_ended) return <Status tone="danger">{translate('users:key.ended')}</Status>;
  if (!row.is_active) return <Status tone="unknown">{translate('users:key.off')}</Status>;
  return <Status tone="ok">{translate('users:key.works')}</Status>;
}

async function setKeyActive(row: ServiceKeyRow, active: boolean, tools: ActionTools): Promise<void> {
  await http.patch(`${API}${row.id}/`, { is_active: active });
  tools.refresh();
}

/** Access keys of one service account, on its page. */
export const serviceKey = defineResource<ServiceKeyRow, 'authentication/service-account-keys/'>({
  name: 'ServiceKeyListTable',
  api: API,
  routes: serviceKeyRoutes,
  icon: KeyRound,
  nameOf: (row) => (row.comment === undefined || row.comment === '' ? row.id : row.comment),
  noun: { one: 'users:key.one', many: 'users:key.many', what: 'users:key.what' },
  shared: true,
  can: { clone: false, deleteMany: false, delete: () => true },
  list: {
    columns: [
      { key: 'comment', label: 'users:key.comment' },
      { key: 'id', label: 'users:key.id', cell: (row) => <MonoCell value={row.id} /> },
      {
        key: 'is_active',
        label: 'users:state.label',
        sortable: false,
        cell: (row) => <KeyStatus row={row} />,
      },
      { key: 'date_expired', label: 'users:key.end' },
      'date_last_used',
      'date_created',
      'created_by',
    ],
    shown: ['comment', 'id', 'is_active', 'date_expired', 'date_last_used'],
    untyped: ['user'],
    exchange: { export: false, import: false },
    isInactive: (row) => !row.is_active || row.has_ended,
    phone: {
      icon: KeyRound,
      meta: (row) => <span className="truncate font-mono">{row.id}</span>,
      status: (row) => <KeyStatus row={row} />,
    },
    rowActions: [
      {
        id: 'off',
        label: 'users:deactivate',
        icon: CirclePause,
        order: 15,
        isOffered: (row) => row.is_active === true,
        run: (row, tools) => setKeyActive(row, false, tools),
      },
      {
        id: 'on',
        label: 'users:activate',
        icon: CircleCheck,
        order: 15,
        isOffered: (row) => row.is_active !== true,
        run: (row, tools) => setKeyActive(row, true, tools),
      },
    ],
  },
  form: {
    method: 'patch',
    groups: [{ title: 'users:form.basic', fields: ['user', 'comment', 'date_expired', 'is_active'] }],
    initial: (query) => ({ user: query['user'] ?? '', is_active: true }),
    fields: {
      user: {
        remote: { ...userOptions, query: { ...userOptions.query, kind: 'service' } },
        multiple: false,
        required: true,
        isDisabled: ({ mode }) =>
          mode === 'update' || new URLSearchParams(window.location.search).has('user'),
      },
      comment: { label: 'users:key.comment', help: 'users:key.comment_help', control: 'input' },
      date_expired: { label: 'users:key.end', help: 'users:key.end_help', noEnd: () => '' },
      is_active: { control: 'switch' },
    },
    // In a trusted browser the second factor was not shown.
    around: async (send) => (await import('#/domain/mfa')).withFactorShown(send),
    saved: (answer, { mode }) => (mode === 'create' ? showSecret(answer) : undefined),
    backTo: ({ user }) =>
      typeof user === 'string'
        ? `${objectPath(serviceAccountRoutes.paths.detail, user)}?activeTab=keys`
        : undefined,
  },
});
