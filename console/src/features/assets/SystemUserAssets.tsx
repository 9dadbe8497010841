import { KeyRound, Server, UserRoundPlus } from 'lucide-react';
import { useMemo } from 'react';
import type { Api } from '#/lib/api-types';
import { translate } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { queryClient } from '#/lib/query';
import { useMay } from '#/lib/session';
import { startJob } from '#/domain/jobs/shown-job';
import { assetOptions, nodeOptions, userOptions } from '#/domain/remotes';
import { fetchPage } from '#/resource/api';
import { type BulkAction, defineResource, type ObjectAction } from '#/resource/define';
import { RelationCard } from '#/resource/detail/RelationCard';
import { ResourceList } from '#/resource/list/ResourceList';
import { Button } from '#/ui/button';
import { CellLink } from '#/ui/link';
import { Status, type StatusTone } from '#/ui/status';
import { startOnSystemUser } from './host-jobs';
import { hasAccounts, isPushable, type SystemUserRow } from './system-user-kinds';

type AccountRow = Pick<
  Api<'SystemUserAsset'>,
  'id' | 'asset' | 'asset_display' | 'connectivity' | 'date_verified'
>;

const API = 'assets/system-users-assets-relations/';
const TONES: Record<AccountRow['connectivity'], StatusTone> = {
  ok: 'ok',
  failed: 'danger',
  unknown: 'unknown',
};

type AccountJob = 'test' | 'push';

function start(systemUser: string, action: AccountJob, assets: readonly string[]): Promise<void> {
  return startJob(`assets/system-users/${systemUser}/tasks/`, { action, assets });
}

/** Starts a job on the assets of the selected rows. */
async function startOnChosen(systemUser: string, action: AccountJob, ids: readonly string[]): Promise<void> {
  const page = await fetchPage<AccountRow>(API, { ids: ids.join(','), limit: ids.length, offset: 0 });
  await start(
    systemUser,
    action,
    page.results.map((row) => row.asset),
  );
}

// i18n: assets:account_state.*
/** The assets that a system user is bound to, with what can be done on each. */
function accountsOf(systemUser: SystemUserRow) {
  const jobs: readonly {
    id: AccountJob;
    label: string;
    all: string;
    icon: typeof KeyRound;
    order: number;
  }[] = [
    ...(isPushable(systemUser)
      ? [
          {
            id: 'push' as const,
            label: 'assets:job.push',
            all: 'assets:job.push_now',
            icon: UserRoundPlus,
            order: 1,
          },
        ]
      : []),
    ...(hasAccounts(systemUser)
      ? [
          {
            id: 'test' as const,
            label: 'assets:job.test_account',
            all: 'assets:job.test_all',
            icon: KeyRound,
            order: 2,
          },
        ]
      : []),
  ];
  const rowActions: readonly ObjectAction<AccountRow>[] = jobs.map(({ id, label, icon, order }) => ({
    id,
    label,
    icon,
    order,
    run: (row) => start(systemUser.id, id, [row.asset]),
  }));
  const bulkActions: readonly BulkAction[] = jobs.map(({ id, label, icon }) => ({
    id,
    label,
    icon,
    run: (ids) => startOnChosen(systemUser.id, id, ids),
  }));
  return defineResource<AccountRow, 'assets/system-users-assets-relations/'>({
    name: 'SystemUserAssetsTable',
    api: API,
    routes: {
      names: { list: 'AssetList' },
      paths: { list: '/assets/assets' },
      titles: { list: 'assets:tab.assets' },
    },
    icon: Server,
    nameOf: (row) => row.asset_display,
    noun: { one: 'assets:bound.one', many: 'assets:bound.many', what: 'assets:bound.what' },
    can: { create: false, clone: false, delete: () => true },
    list: {
      columns: [
        {
          key: 'asset_display',
          sortable: false,
          cell: (row) => <CellLink to={paths.asset(row.asset)}>{row.asset_display}</CellLink>,
        },
        {
          key: 'connectivity',
          sortable: false,
          cell: (row) => (
            <Status tone={TONES[row.connectivity]}>
              {translate(`assets:account_state.${row.connectivity}`)}
            </Status>
          ),
        },
        { key: 'date_verified', sortable: false },
      ],
      untyped: ['id', 'asset', 'systemuser'],
      rowActions,
      bulkActions,
      header: () =>
        jobs.map(({ id, all, icon }) => (
          <Button key={id} icon={icon} onClick={() => void startOnSystemUser(id, systemUser.id)}>
            {translate(all)}
          </Button>
        )),
      phone: {
        icon: Server,
        meta: (row) => <span>{translate(`assets:account_state.${row.connectivity}`)}</span>,
      },
    },
  });
}

/** Where a system user is: its assets, its nodes, and the users of a dynamic username. */
export function SystemUserAssets({
  row,
  onChange,
}: {
  readonly row: SystemUserRow;
  readonly onChange: () => void;
}) {
  const mayWrite = useMay('admin');
  const resource = useMemo(() => accountsOf(row), [row]);
  const query = useMemo(() => ({ systemuser: row.id }), [row.id]);
  const changed = () => {
    void queryClient.invalidateQueries({ queryKey: ['list'] });
    onChange();
  };
  return (
    <div
      className={`grid grid-cols-1 items-start gap-3.5 ${mayWrite ? 'md:grid-cols-[minmax(0,1fr)_348px]' : ''}`}
    >
      <ResourceList resource={resource} query={query} embedded />
      {mayWrite && (
        <div className="grid grid-cols-1 gap-3">
          <RelationCard
            title="assets:relation.add_assets"
            add="assets:relation.add_asset"
            remote={assetOptions}
            relation={{ api: API, own: 'systemuser', other: 'asset' }}
            id={row.id}
            onChange={changed}
            onlyAdds
          />
          <RelationCard
            title="assets:nodes"
            add="assets:relation.add_node"
            remote={nodeOptions}
            relation={{ api: 'assets/system-users-nodes-relations/', own: 'systemuser', other: 'node' }}
            id={row.id}
            onChange={changed}
          />
          {row.username_same_with_user === true && (
            <RelationCard
              title="assets:relation.users"
              add="assets:relation.add_user"
              remote={userOptions}
              relation={{ api: 'assets/system-users-users-relations/', own: 'systemuser', other: 'user' }}
              id={row.id}
              linkTo={paths.user}
              onChange={changed}
            />
          )}
        </div>
      )}
    </div>
  );
}
