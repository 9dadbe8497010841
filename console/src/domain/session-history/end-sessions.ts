import { http } from '#/lib/http/client';
import { loadNamespaces, translate } from '#/lib/i18n';
import { queryClient } from '#/lib/query';
import { currentSession } from '#/lib/session';
import { fetchPage } from '#/resource/api';
import type { ActionTools } from '#/resource/define';
import { confirm } from '#/ui/confirm';
import { toast } from '#/ui/toast';

/** The server ends this many sessions with one request. */
const BATCH = 1_000;
/** The question names the first sessions only. */
const NAMED = 5;

interface LiveSession {
  readonly id: string;
  readonly user: string;
  readonly asset: string;
}

/** Whose sessions end. */
export interface SessionsOwner {
  readonly kind: 'user' | 'asset';
  readonly id: string;
  readonly name: string;
}

function liveSessions({ kind, id }: SessionsOwner, limit: number, offset = 0) {
  const query = { [`${kind}_id`]: id, is_finished: '0', order: 'date_start', limit, offset };
  return fetchPage<LiveSession>('terminal/sessions/', query);
}

/** Ends the sessions that are live by now, also those that began while the question was open. */
async function endThem(owner: SessionsOwner): Promise<number> {
  const ids: string[] = [];
  for (;;) {
    const { count, results } = await liveSessions(owner, BATCH, ids.length);
    ids.push(...results.map((session) => session.id));
    // The server may send fewer rows than asked for.
    if (results.length === 0 || ids.length >= count) break;
  }
  let ended = 0;
  for (let first = 0; first < ids.length; first += BATCH) {
    const { ok } = await http.post<{ readonly ok: readonly string[] }>(
      'terminal/tasks/kill-session/',
      ids.slice(first, first + BATCH),
      { quiet: true },
    );
    ended += ok.length;
  }
  return ended;
}

// i18n: session-history:end.effect.*
// i18n: session-history:end.none.*
// i18n: session-history:end.question.*
/** Asks with the number of the live sessions of a person or an asset, then ends all of them. */
export async function endSessions(owner: SessionsOwner, tools: ActionTools): Promise<void> {
  const { kind, name } = owner;
  const [{ count, results }] = await Promise.all([
    liveSessions(owner, NAMED),
    loadNamespaces(['session-history']),
  ]);
  if (count === 0) {
    toast({ tone: 'info', text: translate(`session-history:end.none.${kind}`, { name }) });
    return;
  }
  let ended = 0;
  const isDone = await confirm({
    title: translate(`session-history:end.question.${kind}`, { count, name }),
    effect: translate(`session-history:end.effect.${kind}`, {
      organization: currentSession()?.organization.name ?? '',
    }),
    names: results.map((session) => `${session.user} → ${session.asset}`),
    total: count,
    confirmLabel: translate('session-history:end.confirm', { count }),
    danger: true,
    run: async () => {
      ended = await endThem(owner);
    },
  });
  if (!isDone) return;
  toast({ tone: 'ok', text: translate('session-history:end.done', { count: ended }) });
  await queryClient.invalidateQueries({ queryKey: ['list', 'terminal/sessions/'] });
  tools.refresh();
}
