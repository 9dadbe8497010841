import { useNavigate, useSearch } from '@tanstack/react-router';
import { FolderOpen, KeyRound, Plus, Server, SquareTerminal } from 'lucide-react';
import { useMemo, useState } from 'react';
import { http } from '#/lib/http/client';
import { translate, useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { useSession } from '#/lib/session';
import { defineResource } from '#/resource/define';
import { ChipsCell, MonoCell, ShowCell } from '#/resource/format';
import { ResourceList } from '#/resource/list/ResourceList';
import { AdminPageLink } from '#/domain/admin-page/AdminPageLink';
import { mayGrant } from '#/domain/admin-page/may-grant';
import type { ChosenNode } from '#/domain/node-search/chosen-node';
import { NodeTree } from '#/domain/node-tree/NodeTree';
import { SshButton } from '#/domain/ssh-lines/SshButton';
import { SshLineCell } from '#/domain/ssh-lines/SshLineCell';
import { LinkButton } from '#/ui/link';
import { Missing } from '#/ui/status';
import { AssetName, type MyAssetRow } from './AssetDetails';
import { FavoriteStar } from './FavoriteStar';
import { RecentAssets } from './RecentAssets';

interface MySystemUser {
  readonly id: string;
  readonly name: string;
}

const ALL = 'perms/users/assets/';

async function loadSystemUsers(assetId: string) {
  const systemUsers = await http.get<readonly MySystemUser[]>(`perms/users/assets/${assetId}/system-users/`, {
    query: { cache_policy: 1 },
  });
  return <ChipsCell values={systemUsers.map((systemUser) => systemUser.name)} />;
}

/** Whether the person's own SSH client can reach the asset. */
function hasSsh(row: MyAssetRow): boolean {
  return row.is_active && row.protocols.some((protocol) => protocol.startsWith('ssh/'));
}

function SshLine({ row }: { readonly row: MyAssetRow }) {
  return hasSsh(row) ? <SshLineCell asset={{ id: row.id, name: row.hostname }} /> : <Missing />;
}

function ConnectLink({ row }: { readonly row: MyAssetRow }) {
  return row.is_active ? (
    <span className="inline-flex gap-1">
      <LinkButton to={paths.connect(row.id)} size="sm" icon={SquareTerminal} newTab>
        {translate('workbench:connect')}
      </LinkButton>
      {hasSsh(row) && (
        <>
          <LinkButton
            to={paths.files(row.id)}
            size="sm"
            icon={FolderOpen}
            label={translate('workbench:files', { asset: row.hostname })}
            newTab
          />
          <SshButton asset={{ id: row.id, name: row.hostname }} size="sm" />
        </>
      )}
    </span>
  ) : (
    <span className="text-ink-3">{translate('workbench:inactive')}</span>
  );
}

/** What administrators can do for themselves when nothing is granted to them. */
function GrantSteps() {
  const user = useSession().profile.id;
  return (
    <>
      <AdminPageLink kind="primary" icon={KeyRound} to={paths.createAssetPermission(`?user=${user}`)}>
        {translate('workbench:grant.asset')}
      </AdminPageLink>
      <AdminPageLink icon={Plus} to={paths.newHost}>
        {translate('workbench:grant.host')}
      </AdminPageLink>
    </>
  );
}

function resourceFor(api: string) {
  const maySelf = mayGrant();
  return defineResource<MyAssetRow, 'perms/users/assets/', 'favorite' | 'system_users' | 'ssh' | 'connect'>({
    name: 'MyAssetTable',
    api,
    routes: { names: { list: 'MyAssets' }, paths: { list: '/my-assets' }, titles: { list: 'nav:my_assets' } },
    icon: Server,
    nameOf: (row) => row.hostname,
    noun: {
      one: 'workbench:asset.one',
      many: 'workbench:asset.many',
      what: maySelf ? 'workbench:grant.what' : 'workbench:asset.what',
    },
    can: { create: false, deleteMany: false },
    list: {
      ...(maySelf
        ? { steps: () => <GrantSteps /> }
        : { next: { label: 'workbench:ask', to: paths.help('support') } }),
      columns: [
        {
          key: 'favorite',
          label: 'workbench:star',
          sortable: false,
          cell: (row) => <FavoriteStar id={row.id} name={row.hostname} />,
        },
        { key: 'hostname', cell: (row) => <AssetName row={row} />, sortable: true },
        // Beside the name: at 1280 px the last columns are behind the right edge.
        { key: 'connect', label: 'workbench:connect', cell: (row) => <ConnectLink row={row} /> },
        { key: 'ssh', label: 'workbench:ssh_line', cell: (row) => <SshLine row={row} /> },
        { key: 'ip', cell: (row) => <MonoCell value={row.ip} /> },
        {
          key: 'protocols',
          label: 'workbench:protocols',
          cell: (row) => <ChipsCell values={row.protocols} mono />,
        },
        { key: 'platform', label: 'workbench:platform' },
        {
          key: 'system_users',
          label: 'workbench:system_users',
          cell: (row) => <ShowCell load={() => loadSystemUsers(row.id)} />,
        },
        'comment',
      ],
      isInactive: (row) => !row.is_active,
      phone: {
        icon: Server,
        meta: (row) => <span className="font-mono">{row.ip}</span>,
        status: (row) => (
          <span className="inline-flex flex-wrap items-center gap-1">
            <FavoriteStar id={row.id} name={row.hostname} />
            <ConnectLink row={row} />
          </span>
        ),
      },
    },
  });
}

/** The assets that the person may reach: tree on the left, assets on the right, a Connect button for each. */
export function MyAssetsPage() {
  const t = useT();
  const navigate = useNavigate();
  const { node }: { node?: string } = useSearch({ strict: false });
  const [chosen, setChosen] = useState<ChosenNode | null>(null);
  const api = node === undefined ? ALL : `perms/users/nodes/${encodeURIComponent(node)}/assets/`;
  const resource = useMemo(() => resourceFor(api), [api]);
  return (
    <ResourceList
      key={api}
      resource={resource}
      title={node !== undefined && chosen?.id === node ? chosen.label : undefined}
      query={{ cache_policy: 1 }}
      strip={node === undefined && <RecentAssets />}
      side={
        <NodeTree
          title={t('workbench:nodes')}
          api="perms/users/nodes/children/tree/"
          query={{ cache_policy: 2 }}
          selected={node ?? null}
          onSelect={(next) => {
            setChosen(next);
            void navigate({
              to: '.',
              search: (old: Record<string, string | undefined>) => ({
                ...old,
                node: next.id === node ? undefined : next.id,
                page: undefined,
              }),
              replace: true,
            });
          }}
        />
      }
    />
  );
}
