import {
  CircleCheck,
  CirclePause,
  Cpu,
  Fingerprint,
  FolderInput,
  FolderMinus,
  KeyRound,
  ListPlus,
  PlugZap,
  Power,
  Server,
  SquareTerminal,
  UserRoundPlus,
} from 'lucide-react';
import { loadNamespaces, translate } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { currentSession } from '#/lib/session';
import { defineResource, type FieldSpec, type QuickAction } from '#/resource/define';
import { lazyPart } from '#/resource/lazy-part';
import { objectPath } from '#/resource/routes';
import { ChipsCell, CopyCell, MonoCell } from '#/resource/format';
import {
  adminUserOptions,
  domainOptions,
  labelOptions,
  nodeOptions,
  platformOptions,
} from '#/domain/remotes';
import type { Icon } from '#/ui/icon';
import { AppLink, LinkButton } from '#/ui/link';
import { Missing } from '#/ui/status';
import { ExplainCard } from '#/domain/explain-access/ExplainCard';
import { bulkEffect, deletionEffect, formImpact, importEffect } from '#/domain/access-preview/effects';
import { moveToNode } from './placement';
import { Connectivity, ConnectivityFacts } from './Connectivity';
import type { startOnAsset } from './host-jobs';
import { LabelChips } from './LabelChips';
import { assetMorePath, assetRoutes, domainRoutes, newHostPath } from './addresses';
import { endSessionsAction } from '#/domain/session-history/end-action';
import type { AssetRow } from './asset-row';

/** Actions that few visits of the list use. */
const asked = () => import('./asked-actions');
const jobs = () => import('./host-jobs');

const AccessHistory = lazyPart(
  async () => (await import('#/domain/access-history/AccessHistory')).AccessHistory,
);
const AccountsOfAsset = lazyPart(async () => {
  const [part] = await Promise.all([import('./accounts/Accounts'), loadNamespaces(['accounts'])]);
  return part.AccountsOfAsset;
});
const relations = () => import('./AssetRelations');
const AssetLabels = lazyPart(async () => (await relations()).AssetLabels);
const AssetNodes = lazyPart(async () => (await relations()).AssetNodes);
const CommandHistory = lazyPart(
  async () => (await import('#/domain/commands/CommandHistory')).CommandHistory,
);
const SessionHistory = lazyPart(
  async () => (await import('#/domain/session-history/SessionHistory')).SessionHistory,
);
const Grants = lazyPart(async () => (await import('#/domain/grants/Grants')).Grants);
const HostKeys = lazyPart(async () => (await import('./HostKeys')).HostKeys);
const SshButton = lazyPart(async () => (await import('#/domain/ssh-lines/SshButton')).SshButton);
const ProtocolsField = lazyPart(async () => (await import('./ProtocolsField')).ProtocolsField);
const RelatedSystemUsers = lazyPart(async () => (await import('./RelatedSystemUsers')).RelatedSystemUsers);

function isWithinOrganization(): boolean {
  return currentSession()?.organization.is_root === false;
}

function DomainLink({ row }: { readonly row: AssetRow }) {
  if (!row.domain) return <Missing />;
  return <AppLink to={objectPath(domainRoutes.paths.detail, row.domain)}>{row.domain_display}</AppLink>;
}

const PROTOCOLS: FieldSpec = { required: true, render: (input) => <ProtocolsField input={input} /> };
const PLATFORM: FieldSpec = { remote: platformOptions, multiple: false, required: true };
const ADMIN_USER: FieldSpec = {
  remote: adminUserOptions,
  multiple: false,
  help: 'assets:form.admin_user_help',
};
const DOMAIN: FieldSpec = { remote: domainOptions, multiple: false };
const LABELS: FieldSpec = { remote: labelOptions, multiple: true };

/** A job that starts on the asset at once. i18n: assets:job.* */
const job = (name: string, kind: Parameters<typeof startOnAsset>[0], icon: Icon): QuickAction<AssetRow> => ({
  id: name,
  label: `assets:job.${name}`,
  icon,
  state: () => translate(`assets:job.${name}_effect`),
  isOffered: isWithinOrganization,
  control: {
    kind: 'button',
    label: 'assets:job.start',
    run: async (row) => (await jobs()).startOnAsset(kind, row.id),
  },
});

export const asset = defineResource<AssetRow, 'assets/assets/'>({
  name: 'AssetListTable',
  api: 'assets/assets/',
  routes: assetRoutes,
  icon: Server,
  nameOf: (row) => row.hostname,
  noun: { one: 'assets:asset.one', many: 'assets:asset.many', what: 'assets:asset.what' },
  can: { delete: () => true },
  deleteEffect: deletionEffect('asset'),
  list: {
    place: ['node'],
    next: { label: 'nav:new_host', to: newHostPath, permission: 'admin' },
    columns: [
      'hostname',
      { key: 'ip', cell: (row) => <MonoCell value={row.ip} />, sortable: true },
      'public_ip',
      { key: 'admin_user_display', label: 'assets:admin_user', sortable: false },
      { key: 'protocols', cell: (row) => <ChipsCell values={row.protocols} mono />, sortable: false },
      // Before what can be cut at the right edge of a narrow window.
      { key: 'connectivity', cell: (row) => <Connectivity row={row} /> },
      'platform',
      { key: 'domain_display', label: 'assets:domain', sortable: false },
      { key: 'hardware_info', sortable: false },
      'model',
      'cpu_model',
      'cpu_cores',
      'cpu_count',
      'cpu_vcpus',
      'disk_info',
      'disk_total',
      'memory',
      'os',
      'os_arch',
      'os_version',
      'number',
      'vendor',
      'sn',
      {
        key: 'labels_display',
        label: 'assets:labels',
        sortable: false,
        cell: (row) => <LabelChips values={row.labels_display} />,
      },
      'created_by',
      'date_created',
      'comment',
      'org_name',
    ],
    shown: ['hostname', 'ip', 'protocols', 'connectivity', 'platform', 'hardware_info', 'labels_display'],
    filters: [{ key: 'label', label: 'assets:label' }],
    untyped: ['domain'],
    exchange: { importEffect: importEffect('asset') },
    isInactive: (row) => !row.is_active,
    phone: {
      icon: Server,
      meta: (row) => (
        <span className="truncate">
          <span className="font-mono">{row.ip}</span> · {row.protocols[0]?.split('/')[0]}
        </span>
      ),
      status: (row) => <Connectivity row={row} />,
    },
    rowActions: [
      {
        id: 'more',
        label: 'assets:more',
        icon: ListPlus,
        order: 40,
        isOffered: isWithinOrganization,
        run: (row, tools) => tools.navigate(objectPath(assetMorePath, row.id)),
      },
    ],
    bulkUpdate: {
      fields: ['platform', 'protocols', 'domain', 'admin_user', 'labels', 'comment'],
      effect: bulkEffect('asset'),
      specs: {
        platform: PLATFORM,
        protocols: PROTOCOLS,
        domain: DOMAIN,
        admin_user: ADMIN_USER,
        labels: LABELS,
      },
    },
    bulkActions: [
      {
        id: 'activate',
        label: 'assets:activate',
        icon: CircleCheck,
        run: async (ids, tools) => (await asked()).setActive(ids, true, tools),
      },
      {
        id: 'deactivate',
        label: 'assets:deactivate',
        icon: CirclePause,
        run: async (ids, tools) => (await asked()).setActive(ids, false, tools),
      },
      {
        id: 'move',
        label: 'assets:place.action',
        icon: FolderInput,
        isOffered: isWithinOrganization,
        run: moveToNode,
      },
      {
        id: 'remove',
        label: 'assets:remove.action',
        icon: FolderMinus,
        isOffered: (tools) => tools.query['node_id'] !== undefined,
        run: async (ids, tools) => (await asked()).removeFromNode(ids, tools),
      },
      {
        id: 'test',
        label: 'assets:job.test',
        icon: PlugZap,
        isOffered: isWithinOrganization,
        run: async (ids, tools) => (await jobs()).startOnAssets('test', ids, tools),
      },
      {
        id: 'refresh',
        label: 'assets:job.refresh',
        icon: Cpu,
        isOffered: isWithinOrganization,
        run: async (ids, tools) => (await jobs()).startOnAssets('refresh', ids, tools),
      },
    ],
  },
  form: {
    groups: [
      { title: 'assets:form.basic', fields: ['hostname', 'ip', 'platform', 'public_ip', 'domain'] },
      { title: 'assets:form.protocols', fields: ['protocols'] },
      { title: 'assets:form.auth', fields: ['admin_user'] },
      { title: 'assets:form.node', fields: ['nodes'] },
      { title: 'assets:form.label', fields: ['labels'] },
      { title: 'assets:form.other', fields: ['is_active', 'comment'] },
    ],
    initial: (query) => ({
      is_active: true,
      platform: 'Linux',
      protocols: ['ssh/22'],
      nodes: query['node'] ? [query['node']] : [],
      labels: [],
    }),
    fields: {
      platform: PLATFORM,
      protocols: PROTOCOLS,
      domain: DOMAIN,
      admin_user: ADMIN_USER,
      nodes: { remote: nodeOptions, multiple: true, help: 'assets:form.nodes_help' },
      labels: LABELS,
      is_active: { control: 'switch' },
    },
    toPayload: (values) => {
      const { nodes, ...rest } = values;
      // Without a node, the server puts the asset into the root node.
      return Array.isArray(nodes) && nodes.length === 0 ? rest : values;
    },
    opensDetail: 'create',
    aside: formImpact('asset'),
  },
  detail: {
    title: (row) => `${row.hostname} (${row.ip})`,
    status: (row) => <Connectivity row={row} />,
    actions: (row) =>
      row.is_active ? (
        <>
          <LinkButton to={paths.connect(row.id)} kind="primary" icon={SquareTerminal} newTab>
            {translate('assets:connect')}
          </LinkButton>
          {row.protocols.some((protocol) => protocol.startsWith('ssh/')) && (
            <SshButton asset={{ id: row.id, name: row.hostname }} />
          )}
        </>
      ) : null,
    cards: [
      {
        title: 'assets:form.basic',
        fields: [
          'hostname',
          'platform',
          { key: 'ip', value: (row) => <CopyCell value={row.ip} /> },
          'charset',
          'public_ip',
          'is_active',
          { key: 'protocols', value: (row) => <ChipsCell values={row.protocols} mono all /> },
          'created_by',
          { key: 'admin_user_display', label: 'assets:admin_user' },
          { key: 'domain_display', label: 'assets:domain', value: (row) => <DomainLink row={row} /> },
          'date_created',
          'comment',
          'date_updated',
          { key: 'connectivity', value: (row) => <ConnectivityFacts row={row} /> },
        ],
      },
      {
        title: 'assets:hardware',
        fields: [
          'vendor',
          'os',
          'model',
          'os_version',
          'cpu_model',
          'os_arch',
          'cpu_count',
          'memory',
          'cpu_cores',
          'disk_total',
          'cpu_vcpus',
          'disk_info',
          'sn',
          'number',
        ],
        actions: (row) =>
          currentSession()?.organization.is_root ? null : (
            <LinkButton to={objectPath(assetMorePath, row.id)} kind="text" size="sm" icon={ListPlus}>
              {translate('assets:more')}
            </LinkButton>
          ),
      },
    ],
    quick: [
      {
        id: 'active',
        label: 'assets:quick.active',
        icon: Power,
        state: (row) => translate(row.is_active ? 'assets:quick.active_on' : 'assets:quick.active_off'),
        control: {
          kind: 'switch',
          value: (row) => row.is_active,
          change: async (row, on) => (await asked()).switchActive(row, on),
        },
      },
      job('test', 'test', PlugZap),
      job('refresh', 'refresh', Cpu),
      job('test_accounts', 'test_system_user', KeyRound),
      job('push_accounts', 'push_system_user', UserRoundPlus),
      endSessionsAction<AssetRow>('asset', (row) => row.hostname, {
        label: 'assets:quick.end_sessions',
        state: 'assets:quick.end_sessions_state',
        button: 'assets:quick.end_sessions',
      }),
    ],
    side: (row, tools) => (
      <>
        <AssetNodes row={row} onChange={tools.refresh} />
        <AssetLabels row={row} onChange={tools.refresh} />
        <HostKeys owner={{ asset: row.id }} icon={Fingerprint} />
      </>
    ),
    tabs: [
      {
        id: 'access',
        label: 'assets:tab.access',
        content: (row) => (
          <div className="flex flex-col gap-3.5">
            <Grants place={{ kind: 'asset', id: row.id, nodes: row.nodes_display }} />
            <ExplainCard asset={row.id} />
          </div>
        ),
      },
      {
        id: 'history',
        label: 'assets:tab.history',
        permission: 'audit',
        content: (row) => <AccessHistory kind="asset" id={row.id} />,
      },
      {
        id: 'sessions',
        label: 'assets:tab.sessions',
        content: (row) => <SessionHistory kind="asset" id={row.id} />,
      },
      {
        id: 'commands',
        label: 'assets:tab.commands',
        permission: 'audit',
        content: (row) => <CommandHistory id={row.id} />,
      },
      {
        id: 'system-users',
        label: 'assets:tab.system_users',
        content: (row) => <RelatedSystemUsers assetId={row.id} />,
      },
      {
        id: 'accounts',
        label: 'assets:tab.accounts',
        content: (row) => <AccountsOfAsset assetId={row.id} />,
      },
    ],
  },
});
