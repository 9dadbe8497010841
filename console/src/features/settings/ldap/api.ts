import { queryOptions } from '@tanstack/react-query';
import { HttpError } from '#/lib/http/errors';
import { http } from '#/lib/http/client';
import type { FormValues } from '#/resource/define';

const LDAP = 'settings/ldap/';
export const PAGE = 50;
const SOON_MS = 2000;

/** A person of the directory, as it was read last. `id` is the username. */
export interface DirectoryPerson {
  readonly id: string;
  readonly username: string;
  readonly name: string;
  readonly email: string;
  readonly is_enabled: boolean;
  /** Already a user. */
  readonly existing: boolean;
  /** Another account has the username. */
  readonly is_taken: boolean;
}

export interface DirectoryPage {
  readonly count: number;
  readonly results: readonly DirectoryPerson[];
}

export interface DirectoryState {
  readonly is_configured: boolean;
  readonly is_reading: boolean;
  readonly date_ended: string | null;
  readonly date_succeeded: string | null;
  readonly outcome: '' | 'succeeded' | 'held_back' | 'failed';
  readonly reason: string;
  readonly counts: Readonly<Record<string, number>>;
}

/** The state of the last reading. Asked again while the directory is being read. */
export const stateQuery = queryOptions({
  queryKey: ['ldap-state'],
  queryFn: () => http.get<DirectoryState>(`${LDAP}sync/`, { quiet: true }),
  staleTime: 0,
  refetchInterval: (query) => (isAwaited(query.state.data) ? SOON_MS : false),
});

/** Whether the state changes within seconds: the first reading follows the first save by itself. */
function isAwaited(state: DirectoryState | undefined): boolean {
  return state !== undefined && (state.is_reading || (state.is_configured && state.outcome === ''));
}

/** A page of the list; null while the directory is being read. */
export function peopleQuery(search: string, offset: number) {
  return queryOptions({
    queryKey: ['ldap-people', search, offset],
    queryFn: async (): Promise<DirectoryPage | null> => {
      try {
        return await http.get<DirectoryPage>(`${LDAP}users/`, {
          query: { cache_police: 1, limit: PAGE, offset, search },
          quiet: true,
        });
      } catch (error) {
        if (error instanceof HttpError && error.status === 409) return null;
        throw error;
      }
    },
    staleTime: 0,
    refetchInterval: (query) => (query.state.data === null ? SOON_MS : false),
  });
}

/** Reads the directory with these values, which need not be saved. Answers what was found. */
export function testConnection(values: FormValues): Promise<string> {
  return http.post<string>(`${LDAP}testing/config/`, values, { quiet: true });
}

/** Tries a sign-in with the saved settings. */
export function testLogin(username: string, password: string): Promise<string> {
  return http.post<string>(`${LDAP}testing/login/`, { username, password }, { quiet: true });
}

export function refreshPeople(): Promise<unknown> {
  return http.post(`${LDAP}cache/refresh/`, {}, { quiet: true });
}

export function synchronise(acceptFall: boolean): Promise<DirectoryState> {
  return http.post<DirectoryState>(`${LDAP}sync/`, { accept_fall: acceptFall }, { quiet: true });
}

/** Makes these people users of an organization. Answers numbers, and reasons for those left out. */
export async function importPeople(usernames: readonly string[], organization: string): Promise<string> {
  const body = { username_list: usernames, org_id: organization };
  const { msg } = await http.post<{ msg: string }>(`${LDAP}users/import/`, body, { quiet: true });
  return msg;
}
