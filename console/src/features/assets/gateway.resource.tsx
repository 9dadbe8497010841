import { Fingerprint, Power, Waypoints } from 'lucide-react';
import type { Api } from '#/lib/api-types';
import { http } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import { defineResource, type FieldContext } from '#/resource/define';
import { CopyCell, MonoCell } from '#/resource/format';
import { lazyPart } from '#/resource/lazy-part';
import { objectPath } from '#/resource/routes';
import { domainOptions } from '#/domain/remotes';
import { AppLink } from '#/ui/link';
import { Status } from '#/ui/status';
import { domainRoutes, gatewayRoutes, gatewaysOf } from './addresses';

const HostKeys = lazyPart(async () => (await import('./HostKeys')).HostKeys);

export type GatewayRow = Pick<
  Api<'Gateway'>,
  | 'id'
  | 'name'
  | 'ip'
  | 'port'
  | 'username'
  | 'is_active'
  | 'is_connective'
  | 'domain'
  | 'domain_display'
  | 'ssh_key_fingerprint'
>;

function State({ row }: { readonly row: GatewayRow }) {
  if (!row.is_active) return <Status tone="unknown">{translate('assets:gateway.inactive')}</Status>;
  return row.is_connective ? (
    <Status tone="ok">{translate('assets:gateway.active')}</Status>
  ) : (
    <Status tone="danger">{translate('assets:gateway.silent')}</Status>
  );
}

/** A gateway stays in its domain: the form of a new gateway takes it from the address. */
function isDomainFixed({ mode }: FieldContext): boolean {
  return mode === 'update' || new URLSearchParams(window.location.search).has('domain');
}

export const gateway = defineResource<GatewayRow, 'assets/gateways/'>({
  name: 'GatewayListTable',
  api: 'assets/gateways/',
  routes: gatewayRoutes,
  icon: Waypoints,
  nameOf: (row) => row.name,
  noun: {
    one: 'assets:gateway_noun.one',
    many: 'assets:gateway_noun.many',
    what: 'assets:gateway_noun.what',
  },
  can: { delete: () => true, clone: false },
  list: {
    columns: [
      'name',
      { key: 'ip', cell: (row) => <MonoCell value={row.ip} />, sortable: true },
      'port',
      'protocol',
      'username',
      {
        key: 'is_connective',
        label: 'assets:gateway.state',
        sortable: false,
        cell: (row) => <State row={row} />,
      },
      'date_created',
      'comment',
    ],
    shown: ['name', 'ip', 'port', 'username', 'is_connective', 'comment'],
    untyped: ['domain', 'domain__name'],
    isInactive: (row) => !row.is_active,
    phone: {
      icon: Waypoints,
      meta: (row) => (
        <span className="truncate font-mono">
          {row.ip}:{row.port}
        </span>
      ),
      status: (row) => <State row={row} />,
    },
  },
  form: {
    groups: [
      { title: 'assets:form.basic', fields: ['name', 'ip', 'port', 'domain'] },
      { title: 'assets:form.auth', fields: ['username', 'password', 'private_key'] },
      { title: 'assets:form.other', fields: ['is_active', 'comment'] },
    ],
    initial: (query) => ({ domain: query['domain'] ?? '', port: 22, is_active: true }),
    fields: {
      domain: { remote: domainOptions, multiple: false, required: true, isDisabled: isDomainFixed },
      username: { required: true, help: 'assets:form.gateway_username_help' },
      password: { control: 'password', help: 'assets:form.secret_help' },
      private_key: {
        control: 'key',
        placeholder: '-----BEGIN OPENSSH PRIVATE KEY-----',
        help: 'assets:form.private_key_help',
      },
      is_active: { control: 'switch' },
      comment: { control: 'textarea' },
    },
    backTo: (source) => (typeof source['domain'] === 'string' ? gatewaysOf(source['domain']) : undefined),
  },
  detail: {
    backTo: (row) => gatewaysOf(row.domain),
    status: (row) => <State row={row} />,
    cards: [
      {
        title: 'assets:form.basic',
        fields: [
          'name',
          {
            key: 'domain',
            value: (row) => (
              <AppLink to={objectPath(domainRoutes.paths.detail, row.domain)}>{row.domain_display}</AppLink>
            ),
          },
          { key: 'ip', value: (row) => <CopyCell value={row.ip} /> },
          'port',
          'username',
          'protocol',
          { key: 'ssh_key_fingerprint', value: (row) => <CopyCell value={row.ssh_key_fingerprint} /> },
          'is_active',
          'created_by',
          'date_created',
          'comment',
          'date_updated',
        ],
      },
    ],
    quick: [
      {
        id: 'active',
        label: 'assets:quick.active',
        icon: Power,
        state: (row) => translate(row.is_active ? 'assets:gateway.active_on' : 'assets:gateway.active_off'),
        control: {
          kind: 'switch',
          value: (row) => row.is_active ?? true,
          change: (row, on) => http.patch(`assets/gateways/${row.id}/`, { is_active: on }),
        },
      },
    ],
    side: (row) => <HostKeys owner={{ gateway: row.id }} icon={Fingerprint} />,
  },
});
