import { CircleCheck, CirclePause, Fingerprint, Power, Server, SquareTerminal } from 'lucide-react';
import { http } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { type ActionTools, defineResource } from '#/resource/define';
import { ChipsCell, CopyCell, MonoCell } from '#/resource/format';
import { adminUserOptions, labelOptions, nodeOptions, platformOptions } from '#/resource/remotes';
import { LinkButton } from '#/ui/link';
import { Status, type StatusTone } from '#/ui/status';
import { toast } from '#/ui/toast';
import { assetScreens } from './routes';
import { lazyPart } from '#/resource/lazy-part';

const HostKeys = lazyPart(async () => (await import('./HostKeys')).HostKeys);
const ProtocolsField = lazyPart(async () => (await import('./ProtocolsField')).ProtocolsField);
const RelatedSystemUsers = lazyPart(async () => (await import('./RelatedSystemUsers')).RelatedSystemUsers);

export interface AssetRow {
  readonly id: string;
  readonly hostname: string;
  readonly ip: string;
  readonly platform: string;
  readonly protocols: readonly string[];
  readonly is_active: boolean;
  readonly connectivity: 'unknown' | 'ok' | 'failed';
  readonly nodes_display?: readonly string[];
}

const CONNECTIVITY: Record<AssetRow['connectivity'], StatusTone> = {
  ok: 'ok',
  failed: 'danger',
  unknown: 'unknown',
};

// i18n: assets:connectivity.*
export function Connectivity({ row }: { readonly row: AssetRow }) {
  const value = row.connectivity in CONNECTIVITY ? row.connectivity : 'unknown';
  return <Status tone={CONNECTIVITY[value]}>{translate(`assets:connectivity.${value}`)}</Status>;
}

async function setActive(ids: readonly string[], active: boolean, tools: ActionTools): Promise<void> {
  await http.patch(
    'assets/assets/',
    ids.map((id) => ({ id, is_active: active })),
  );
  toast({
    tone: 'ok',
    text: translate(active ? 'assets:activated' : 'assets:deactivated', { count: ids.length }),
  });
  tools.refresh();
}

export const asset = defineResource<AssetRow>({
  name: 'AssetListTable',
  api: 'assets/assets/',
  routes: assetScreens,
  icon: Server,
  nameOf: (row) => row.hostname,
  noun: { one: 'assets:asset.one', many: 'assets:asset.many', what: 'assets:asset.what' },
  can: { delete: () => true },
  list: {
    columns: [
      'hostname',
      { key: 'ip', cell: (row) => <MonoCell value={row.ip} />, sortable: true },
      'public_ip',
      'admin_user_display',
      { key: 'protocols', cell: (row) => <ChipsCell values={row.protocols} mono />, sortable: false },
      'platform',
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
      { key: 'connectivity', cell: (row) => <Connectivity row={row} /> },
      'created_by',
      'date_created',
      'comment',
      'org_name',
    ],
    shown: ['hostname', 'ip', 'protocols', 'platform', 'hardware_info', 'connectivity'],
    filters: [{ key: 'label', label: 'assets:label' }],
    isInactive: (row) => !row.is_active,
    phone: {
      icon: Server,
      meta: (row) => (
        <span>
          <span className="font-mono">{row.ip}</span> · {row.protocols[0]?.split('/')[0]}
        </span>
      ),
      status: (row) => <Connectivity row={row} />,
    },
    bulkActions: [
      {
        id: 'activate',
        label: 'assets:activate',
        icon: CircleCheck,
        run: (ids, tools) => setActive(ids, true, tools),
      },
      {
        id: 'deactivate',
        label: 'assets:deactivate',
        icon: CirclePause,
        run: (ids, tools) => setActive(ids, false, tools),
      },
    ],
  },
  form: {
    groups: [
      { title: 'assets:form.basic', fields: ['hostname', 'ip', 'platform', 'public_ip'] },
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
      platform: { remote: platformOptions, multiple: false, required: true },
      protocols: { required: true, render: (input) => <ProtocolsField input={input} /> },
      admin_user: { remote: adminUserOptions, multiple: false, help: 'assets:form.admin_user_help' },
      nodes: { remote: nodeOptions, multiple: true, help: 'assets:form.nodes_help' },
      labels: { remote: labelOptions, multiple: true },
      is_active: { control: 'switch' },
    },
    toPayload: (values) => {
      const { nodes, ...rest } = values;
      // Without a choice the server puts the asset into the root node.
      return Array.isArray(nodes) && nodes.length === 0 ? rest : values;
    },
    after: 'detail',
  },
  detail: {
    title: (row) => `${row.hostname} (${row.ip})`,
    status: (row) => <Connectivity row={row} />,
    actions: (row) =>
      row.is_active ? (
        <LinkButton to={paths.connect(row.id)} kind="primary" icon={SquareTerminal} newTab>
          {translate('assets:connect')}
        </LinkButton>
      ) : null,
    cards: [
      {
        title: 'assets:form.basic',
        fields: [
          'hostname',
          'platform',
          { key: 'ip', value: (row) => <CopyCell value={row.ip} /> },
          'is_active',
          'public_ip',
          'date_created',
          { key: 'protocols', value: (row) => <ChipsCell values={row.protocols} mono all /> },
          'created_by',
          'admin_user_display',
          'comment',
        ],
      },
      {
        title: 'assets:hardware',
        fields: ['vendor', 'model', 'cpu_model', 'memory', 'disk_info', 'os', 'os_arch', 'sn', 'number'],
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
          change: (row, on) => http.patch(`assets/assets/${row.id}/`, { is_active: on }),
        },
      },
    ],
    side: (row) => (
      <>
        <HostKeys assetId={row.id} icon={Fingerprint} />
        <NodesCard nodes={row.nodes_display ?? []} />
      </>
    ),
    tabs: [
      {
        id: 'system-users',
        label: 'assets:tab.system_users',
        content: (row) => <RelatedSystemUsers assetId={row.id} />,
      },
    ],
  },
});

function NodesCard({ nodes }: { readonly nodes: readonly string[] }) {
  return (
    <section className="pt-card">
      <h2 className="border-b border-line px-3.5 py-2.5 text-lead">{translate('assets:nodes')}</h2>
      <ul className="px-3.5 py-1.5">
        {nodes.map((node) => (
          <li key={node} className="py-1 [overflow-wrap:anywhere]">
            {node}
          </li>
        ))}
      </ul>
    </section>
  );
}
