import { queryOptions } from '@tanstack/react-query';
import { http } from '#/lib/http/client';

/** Sessions with their stored recordings; `bytes` is the size of those, `oldest` and `newest` are their ends. */
export interface Amount {
  readonly sessions: number;
  readonly recordings: number;
  readonly bytes: number;
  readonly oldest: string | null;
  readonly newest: string | null;
}

/** What retention would delete in an organization now, and what it would delete if it were not on hold. */
export interface Forecast {
  readonly org_id: string;
  readonly org_name: string;
  readonly due: Amount;
  readonly held: Amount;
}

/** The days of the organization with their limits, and the rules that apply to all. `size_limit` is in bytes. */
export interface Retention {
  readonly days: number | null;
  readonly effective_days: number;
  readonly default_days: number;
  readonly shortest_days: number;
  readonly longest_days: number;
  readonly risk_days: number;
  readonly size_limit: number;
  readonly size_min_age_days: number;
}

const RETENTION = 'terminal/retention/';
const GLOBAL = '00000000-0000-0000-0000-000000000000';

export const retentionQuery = queryOptions({
  queryKey: [RETENTION],
  queryFn: ({ signal }) => http.get<Retention>(RETENTION, { signal, quiet: true }),
});

export interface Question {
  /** Asks about all organizations, whichever is chosen. For super administrators. */
  readonly everywhere?: boolean;
  /** As if the organization had chosen these days. */
  readonly days?: number | null;
}

export function previewQuery({ everywhere = false, days = null }: Question) {
  const query = { ...(everywhere ? { oid: GLOBAL } : {}), ...(days === null ? {} : { days: String(days) }) };
  return queryOptions({
    queryKey: [RETENTION, 'preview', query],
    queryFn: ({ signal }) =>
      http.get<readonly Forecast[]>(`${RETENTION}preview/`, { query, signal, quiet: true }),
    // The settings and the sessions change meanwhile; a preview is only worth what it says now.
    gcTime: 0,
  });
}

/** Keeps the sessions of the organization for these days; null: as the setting says. */
export function chooseDays(days: number | null): Promise<Retention> {
  return http.put<Retention>(RETENTION, { days }, { quiet: true });
}
