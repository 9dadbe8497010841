import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { http } from '#/lib/http/client';

/** Days that the page looks back, today included. */
export type Days = 7 | 30;

export interface Totals {
  readonly total_count_users: number;
  readonly total_count_assets: number;
  readonly total_count_online_users: number;
  readonly total_count_online_sessions: number;
}

/** Each day, the oldest first; `dates_metrics_date` is `MM-DD`. */
export interface Metrics {
  readonly dates_metrics_date: readonly string[];
  readonly dates_metrics_total_count_login: readonly number[];
  readonly dates_metrics_total_count_active_users: readonly number[];
  readonly dates_metrics_total_count_active_assets: readonly number[];
}

export interface Shares {
  readonly dates_total_count_active_users: number;
  readonly dates_total_count_inactive_users: number;
  readonly dates_total_count_disabled_users: number;
  readonly dates_total_count_active_assets: number;
  readonly dates_total_count_inactive_assets: number;
  readonly dates_total_count_disabled_assets: number;
}

export interface BusyAsset {
  readonly asset_id: string;
  readonly asset: string;
  readonly total: number;
  readonly last: string;
}

export interface BusyUser {
  readonly user_id: string;
  readonly user: string;
  readonly total: number;
  readonly last: string;
}

export interface LatestSession {
  readonly id: string;
  readonly user: string;
  readonly asset: string;
  readonly is_finished: boolean;
  readonly date_start: string;
}

/** The key of everything that the page asks for. */
export const DASHBOARD = ['dashboard'] as const;

/** Figures of the groups of the contract (`flags`) over the last days. */
function figures<Figures>(flags: readonly string[], days: Days) {
  return queryOptions({
    queryKey: [...DASHBOARD, days, ...flags],
    queryFn: () =>
      http.get<Figures>('index/', {
        query: { ...Object.fromEntries(flags.map((flag) => [flag, 1])), ...(days === 30 && { monthly: 1 }) },
        quiet: true,
      }),
    // The figures of before stay while those of another period load.
    placeholderData: keepPreviousData,
  });
}

export const totals = figures<Totals>(['total_count'], 7);
export const metrics = (days: Days) => figures<Metrics>(['dates_metrics'], days);
export const shares = (days: Days) =>
  figures<Shares>(['dates_total_count_users', 'dates_total_count_assets'], days);
export const busyAssets = (days: Days) =>
  figures<{ readonly dates_login_times_top10_assets: readonly BusyAsset[] }>(
    ['dates_login_times_top10_assets'],
    days,
  );
export const busyUsers = (days: Days) =>
  figures<{ readonly dates_login_times_top10_users: readonly BusyUser[] }>(
    ['dates_login_times_top10_users'],
    days,
  );
export const latest = figures<{ readonly dates_login_record_top10_sessions: readonly LatestSession[] }>(
  ['dates_login_record_top10_sessions'],
  7,
);

export type NeedKind =
  | 'audit_faults'
  | 'risky_sessions'
  | 'silent_terminals'
  | 'waiting_terminals'
  | 'failing_copies'
  | 'unreachable_assets'
  | 'permissions_ending'
  | 'application_permissions_ending'
  | 'permissions_unused';

/** What needs a person. `is_more`: there are more than `count`. `session`: the only risky one. */
export interface Need {
  readonly kind: NeedKind;
  readonly count: number;
  readonly is_more: boolean;
  readonly session: { readonly id: string; readonly user: string; readonly asset: string } | null;
}

export const needs = queryOptions({
  queryKey: [...DASHBOARD, 'needs'],
  queryFn: () =>
    http.get<{ readonly date: string; readonly results: readonly Need[] }>('index/needs/', { quiet: true }),
});
