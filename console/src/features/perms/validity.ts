import { parseTime } from '#/lib/time';
import type { StatusTone } from '#/ui/status';

/** The fields that determine the state of a permission. */
export interface ValidityFacts {
  readonly is_active: boolean;
  readonly date_start: string;
  readonly date_expired: string;
  readonly users: readonly unknown[];
  readonly user_groups: readonly unknown[];
  /** What it grants: assets and nodes, or applications. */
  readonly assets?: readonly unknown[];
  readonly nodes?: readonly unknown[];
  readonly applications?: readonly unknown[];
}

/** Key of the text below `state`, its number, and the colour in which it is shown. */
export interface ValidityState {
  readonly tone: StatusTone;
  readonly key:
    | 'inactive'
    | 'expired'
    | 'not_started'
    | 'nobody'
    | 'nothing'
    | 'no_application'
    | 'ends_in_hours'
    | 'ends_in_days'
    | 'valid';
  readonly count?: number;
}

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** An end nearer than this many days is shown as a warning. */
const SOON_DAYS = 7;

function hasTargets({ assets = [], nodes = [], applications = [] }: ValidityFacts): boolean {
  return assets.length + nodes.length + applications.length > 0;
}

/** The first reason why the permission gives no access; otherwise how long it remains valid. */
export function validityOf(row: ValidityFacts, now: Date = new Date()): ValidityState {
  if (!row.is_active) return { tone: 'unknown', key: 'inactive' };
  const left = (parseTime(row.date_expired)?.getTime() ?? Number.POSITIVE_INFINITY) - now.getTime();
  if (left <= 0) return { tone: 'unknown', key: 'expired' };
  if ((parseTime(row.date_start)?.getTime() ?? 0) > now.getTime())
    return { tone: 'unknown', key: 'not_started' };
  if (row.users.length + row.user_groups.length === 0) return { tone: 'danger', key: 'nobody' };
  if (!hasTargets(row))
    return { tone: 'danger', key: row.applications === undefined ? 'nothing' : 'no_application' };
  if (left < DAY_MS)
    return { tone: 'warn', key: 'ends_in_hours', count: Math.max(1, Math.floor(left / HOUR_MS)) };
  if (left < SOON_DAYS * DAY_MS)
    return { tone: 'warn', key: 'ends_in_days', count: Math.floor(left / DAY_MS) };
  return { tone: 'ok', key: 'valid' };
}
