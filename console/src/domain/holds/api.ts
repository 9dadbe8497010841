import { queryOptions } from '@tanstack/react-query';
import type { Api } from '#/lib/api-types';
import { http } from '#/lib/http/client';
import { queryClient } from '#/lib/query';
import { parseTime } from '#/lib/time';

/** A row of `terminal/holds/`. */
export type Hold = Api<'Hold'>;

/** Whether the hold has an effect: its end has not come. Retention removes it some minutes after its end. */
export function isInEffect({ date_end: text }: Hold): boolean {
  const end = parseTime(text);
  return end === null || end > new Date();
}

/** What is put on hold: one session, or all sessions of a person in the organization. */
export type HeldObject = { readonly session: string } | { readonly user: string };

const HOLDS = 'terminal/holds/';

/** The holds of a person, or those that cover a session: its own, and those of its person. */
export const holdsQuery = (object: HeldObject) => {
  const query = 'session' in object ? { covers: object.session } : { user_id: object.user };
  return queryOptions({
    queryKey: [HOLDS, query],
    queryFn: ({ signal }) => http.get<readonly Hold[]>(HOLDS, { query, signal, quiet: true }),
  });
};

/** Puts something on hold. Without `dateEnd` (ISO 8601) until somebody removes the hold. */
export function placeHold(object: HeldObject, reason: string, dateEnd: string | null): Promise<Hold> {
  return http.post<Hold>(HOLDS, { ...object, reason, date_end: dateEnd }, { quiet: true });
}

export function releaseHold(id: string, reason: string): Promise<unknown> {
  return http.post(`${HOLDS}${id}/release/`, { reason }, { quiet: true });
}

/** Loads what a changed hold changes on screens: the holds, and the sessions that say that they are on hold. */
export async function reloadHolds(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: [HOLDS] });
  void queryClient.invalidateQueries({ queryKey: ['terminal/sessions'] });
  void queryClient.invalidateQueries({ queryKey: ['list', 'terminal/sessions/'] });
}
