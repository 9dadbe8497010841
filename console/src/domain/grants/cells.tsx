import { Folder, Server } from 'lucide-react';
import { http } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import type { Resource } from '#/resource/define';
import { ChipsCell, ShowCell, TimeCell } from '#/resource/format';
import { Missing, Status } from '#/ui/status';
import { visible } from '#/ui/visible-text';
import {
  type GrantNames,
  type GrantRow,
  type GrantTerms as Terms,
  nodesAbove,
  STATE_TONE,
  stateOf,
} from './grant-row';

// i18n: grants:state.*
export function GrantState({ row }: { readonly row: Terms }) {
  const state = stateOf(row);
  return <Status tone={STATE_TONE[state]}>{translate(`grants:state.${state}`)}</Status>;
}

/** The people and groups of the permission, by name. */
export function GrantPeople({ row }: { readonly row: GrantNames }) {
  const groups = row.user_groups_display.map((name) => translate('grants:group', { name }));
  return <ChipsCell values={[...row.users_display, ...groups]} />;
}

export function GrantTargets({ row }: { readonly row: GrantRow }) {
  return <ChipsCell values={[...row.nodes_display, ...row.assets_display]} />;
}

/** Accounts and end of the permission, as lines of a phone's list. */
export function GrantTerms({
  row,
  accounts,
}: {
  readonly row: GrantNames & Terms;
  readonly accounts: boolean;
}) {
  return (
    <>
      {accounts && (
        <div>
          {translate('grants:as_whom')}: {row.system_users_display.map(visible).join(', ')}
        </div>
      )}
      <div className="whitespace-nowrap">
        {translate('grants:until')}: <TimeCell value={row.date_expired} />
      </div>
    </>
  );
}

/** How the permission reaches this asset: directly, or by a node above it. */
export function GrantWay({
  row,
  assetId,
  places,
}: {
  readonly row: GrantRow;
  readonly assetId: string;
  readonly places: readonly string[];
}) {
  if (row.assets?.includes(assetId)) {
    return (
      <span className="inline-flex items-center gap-1.5">
        <Server className="size-3.5! text-ink-3" aria-hidden />
        {translate('grants:this_asset')}
      </span>
    );
  }
  const nodes = nodesAbove(row, places).map(visible).join(', ');
  return (
    <span className="inline-flex items-center gap-1.5" title={nodes}>
      <Folder className="size-3.5! flex-none text-ink-3" aria-hidden />
      {nodes}
    </span>
  );
}

const MOST = 100;

interface Person {
  readonly user: string;
  readonly user_display: string;
}

/** Everybody whom a permission reaches, including members of its groups. `list`: the permissions of this kind. */
function People({ list, id }: { readonly list: string; readonly id: string }) {
  const load = async () => {
    const { results } = await http.get<{ readonly results: readonly Person[] }>(`${list}${id}/users/all/`, {
      query: { limit: MOST, offset: 0 },
    });
    return <ChipsCell values={results.map((row) => row.user_display)} all />;
  };
  return <ShowCell load={load} />;
}

/** The same for a row. Without a group, the column of people already names everybody. */
export function Everybody({ list, row }: { readonly list: string; readonly row: GrantNames & Resource }) {
  if (row.user_groups_display.length === 0) return <Missing />;
  return <People list={list} id={String(row.id)} />;
}
