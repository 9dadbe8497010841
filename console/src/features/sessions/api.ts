import { queryOptions } from '@tanstack/react-query';
import type { Api } from '#/lib/api-types';
import { mayAskUnbidden } from '#/lib/http/asking';
import { http } from '#/lib/http/client';
import { NotFoundError } from '#/lib/http/errors';
import type { CommandRow } from '#/domain/commands/command-row';

/** A row of `terminal/sessions/`. */
export type SessionRow = Pick<
  Api<'Session'>,
  | 'id'
  | 'user'
  | 'user_id'
  | 'asset'
  | 'asset_id'
  | 'system_user'
  | 'login_name'
  | 'login_from'
  | 'login_from_display'
  | 'remote_addr'
  | 'target_address'
  | 'via'
  | 'protocol'
  | 'kind'
  | 'state'
  | 'is_finished'
  | 'end_reason'
  | 'end_reason_display'
  | 'has_replay'
  | 'can_replay'
  | 'can_join'
  | 'can_terminate'
  | 'command_amount'
  | 'date_start'
  | 'date_end'
  | 'duration_s'
  | 'org_name'
  | 'is_locked'
  | 'locked_by'
  | 'date_locked'
  | 'is_on_hold'
> & {
  readonly recording_state: 'none' | 'recording' | 'sealed' | 'incomplete' | 'lost';
};

/** Address of a replay, with the evidence that belongs to it. */
export interface Replay {
  readonly type: string;
  readonly src: string;
  readonly download_url: string;
  readonly cast_url: string;
  readonly text_url: string;
  readonly date_start: string;
  readonly date_end: string | null;
  readonly size: number;
  readonly sha256: string;
  readonly chain: string;
  readonly key_id: string;
  readonly state: 'sealed' | 'incomplete';
}

export interface Verification {
  readonly valid: boolean;
  readonly reason: string;
}

export interface WatchToken {
  readonly token: string;
  readonly ws_path: string;
}

interface Page<Row> {
  readonly count: number;
  readonly results: readonly Row[];
}

const LIVE_EVERY_MS = 3_000;
const COMMANDS_SHOWN = 1_000;

/** Whether a recording is expected but not available yet. */
export function isRecordingOnItsWay(session: SessionRow): boolean {
  return !session.can_replay && !['none', 'lost'].includes(session.recording_state);
}

function isSettled(session: SessionRow): boolean {
  return session.is_finished && !isRecordingOnItsWay(session);
}

export const sessionQuery = (id: string) =>
  queryOptions({
    queryKey: ['terminal/sessions', 'detail', id],
    queryFn: ({ signal }) => http.get<SessionRow>(`terminal/sessions/${id}/`, { signal, quiet: true }),
    // A live session changes by itself, and the recording of a finished one is sealed a moment later.
    refetchInterval: ({ state }) => {
      const session = state.data;
      return session && !isSettled(session) && mayAskUnbidden() ? LIVE_EVERY_MS : false;
    },
  });

export const commandsQuery = (sessionId: string, isLive: boolean) =>
  queryOptions({
    queryKey: ['terminal/commands', sessionId],
    queryFn: ({ signal }) =>
      http.get<Page<CommandRow>>('terminal/commands/', {
        query: { session_id: sessionId, order: 'timestamp', limit: COMMANDS_SHOWN, offset: 0 },
        signal,
        quiet: true,
      }),
    refetchInterval: () => (isLive && mayAskUnbidden() ? LIVE_EVERY_MS : false),
  });

const LAST_COMMANDS = 5;

/** The newest commands of a running session. */
export const lastCommandsQuery = (sessionId: string) =>
  queryOptions({
    queryKey: ['terminal/commands', sessionId, 'last'],
    queryFn: ({ signal }) =>
      http.get<Page<CommandRow>>('terminal/commands/', {
        query: { session_id: sessionId, order: '-timestamp', limit: LAST_COMMANDS, offset: 0 },
        signal,
        quiet: true,
      }),
    refetchInterval: () => (mayAskUnbidden() ? LIVE_EVERY_MS : false),
  });

/** The replay; null while there is no recording. Requested again when the recording becomes available. */
export const replayQuery = (sessionId: string, canReplay: boolean) =>
  queryOptions({
    queryKey: ['terminal/sessions', 'replay', sessionId, canReplay],
    queryFn: async ({ signal }) => {
      try {
        return await http.get<Replay>(`terminal/sessions/${sessionId}/replay/`, { signal, quiet: true });
      } catch (error) {
        if (error instanceof NotFoundError) return null;
        throw error;
      }
    },
    staleTime: 60_000,
  });

export function verifyReplay(sessionId: string): Promise<Verification> {
  return http.post<Verification>(`terminal/sessions/${sessionId}/replay/verify/`, {}, { quiet: true });
}

export function watchToken(sessionId: string): Promise<WatchToken> {
  return http.post<WatchToken>(`terminal/sessions/${sessionId}/watch-token/`, {}, { quiet: true });
}

export function terminateSessions(ids: readonly string[]): Promise<{ readonly ok: readonly string[] }> {
  return http.post('terminal/tasks/kill-session/', ids, { quiet: true });
}

/** Locks or unlocks the sessions. `ended` are those that ended meanwhile. */
export function lockSessions(
  ids: readonly string[],
  lock: boolean,
): Promise<{ readonly ok: readonly string[]; readonly ended: readonly string[] }> {
  return http.post(lock ? 'terminal/tasks/lock-session/' : 'terminal/tasks/unlock-session/', ids);
}

/** Shows the user of a running session a line of text. */
export function sendMessage(sessionId: string, message: string): Promise<unknown> {
  return http.post(`terminal/sessions/${sessionId}/message/`, { message }, { quiet: true });
}
