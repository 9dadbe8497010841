import { Server } from 'lucide-react';
import { useMemo, useState } from 'react';
import { http } from '#/lib/http/client';
import { useT } from '#/lib/i18n';
import { defineResource } from '#/resource/define';
import { ChipsCell, MonoCell, ShowCell } from '#/resource/format';
import { ResourceList } from '#/resource/list/ResourceList';
import type { ChosenNode } from '#/domain/node-search/chosen-node';
import { NodeTree } from '#/domain/node-tree/NodeTree';

interface GrantedAsset {
  readonly id: string;
  readonly hostname: string;
  readonly ip: string;
}

interface GrantedSystemUser {
  readonly id: string;
  readonly name: string;
}

function grantedAssets(base: string, api: string) {
  return defineResource<GrantedAsset, 'perms/users/{user_id}/assets/', 'system_users'>({
    name: 'GrantedAssetTable',
    api,
    routes: {
      names: { list: 'AssetList', detail: 'AssetDetail' },
      paths: { list: '/assets/assets', detail: '/assets/assets/$id' },
      titles: { list: 'nav:asset_list', detail: 'nav:asset_detail' },
    },
    icon: Server,
    nameOf: (row) => row.hostname,
    noun: { one: 'users:granted.one', many: 'users:granted.many', what: 'users:granted.what' },
    can: { create: false, deleteMany: false },
    list: {
      next: { label: 'users:grant_access', to: '/perms/asset-permissions/create', permission: 'admin' },
      columns: [
        'hostname',
        { key: 'ip', cell: (row) => <MonoCell value={row.ip} /> },
        {
          key: 'system_users',
          label: 'users:granted.system_users',
          cell: (row) => (
            <ShowCell
              load={async () => {
                const systemUsers = await http.get<readonly GrantedSystemUser[]>(
                  `${base}assets/${row.id}/system-users/`,
                  { query: { cache_policy: 1 } },
                );
                return <ChipsCell values={systemUsers.map((systemUser) => systemUser.name)} />;
              }}
            />
          ),
        },
      ],
    },
  });
}

/**
 * Assets that a person or group may reach, with their nodes. System users are loaded on demand. `base` ends with a
 * slash.
 */
export function GrantedAssets({ base }: { readonly base: string }) {
  const t = useT();
  const [node, setNode] = useState<ChosenNode | null>(null);
  const api = node === null ? `${base}assets/` : `${base}nodes/${encodeURIComponent(node.id)}/assets/`;
  const resource = useMemo(() => grantedAssets(base, api), [base, api]);
  return (
    <ResourceList
      key={api}
      resource={resource}
      query={{ cache_policy: 1, all: 1 }}
      embedded
      side={
        <NodeTree
          title={t('users:granted.nodes')}
          api={`${base}nodes/children/tree/`}
          query={{ cache_policy: 1 }}
          selected={node?.id ?? null}
          onSelect={(next) => setNode(next.id === node?.id ? null : next)}
        />
      }
    />
  );
}
