import type { Api } from '#/lib/api-types';
import { parseTime } from '#/lib/time';
import type { StatusTone } from '#/ui/status';

/** People and system users of a permission, of assets as of applications, by name. */
export interface GrantNames {
  readonly users_display: readonly string[];
  readonly user_groups_display: readonly string[];
  readonly system_users_display: readonly string[];
}

/** An asset permission, as the list endpoint returns it. */
export type GrantRow = Pick<
  Api<'AssetPermission'>,
  'id' | 'name' | 'is_active' | 'is_valid' | 'is_expired' | 'date_start' | 'date_expired' | 'assets'
> &
  GrantNames & {
    readonly assets_display: readonly string[];
    readonly nodes_display: readonly string[];
  };

/** What the state of a permission follows from, of assets as of applications. */
export type GrantTerms = Pick<GrantRow, 'is_active' | 'is_valid' | 'date_start' | 'date_expired'>;

export type GrantState = 'valid' | 'inactive' | 'waiting' | 'expired';

export const STATE_TONE: Readonly<Record<GrantState, StatusTone>> = {
  valid: 'ok',
  inactive: 'unknown',
  waiting: 'unknown',
  expired: 'unknown',
};

export function stateOf(
  row: Pick<GrantTerms, 'is_active' | 'is_valid' | 'date_start'>,
  now = new Date(),
): GrantState {
  if (!row.is_active) return 'inactive';
  if (row.is_valid) return 'valid';
  const start = parseTime(row.date_start);
  return start !== null && start > now ? 'waiting' : 'expired';
}

/** The nodes of the permission that equal or contain one of these places. All values are full paths. */
export function nodesAbove(row: GrantRow, places: readonly string[]): readonly string[] {
  return row.nodes_display.filter((node) =>
    places.some((place) => place === node || place.startsWith(node.endsWith('/') ? node : `${node}/`)),
  );
}
