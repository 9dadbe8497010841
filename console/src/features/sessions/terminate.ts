import { translate } from '#/lib/i18n';
import { confirm } from '#/ui/confirm';
import { toast } from '#/ui/toast';
import { terminateSessions, type SessionRow } from './api';

type Named = Pick<SessionRow, 'id' | 'user' | 'asset'>;

/**
 * Asks for confirmation with the names of the people affected, then terminates. Resolves to whether the order was sent.
 */
export function confirmTerminate(sessions: readonly Named[]): Promise<boolean> {
  return confirmTerminateAll(
    sessions.map((session) => session.id),
    sessions.map((session) => `${session.user} → ${session.asset}`),
  );
}

/** The same for sessions of which the ids and the names are known. */
export async function confirmTerminateAll(
  ids: readonly string[],
  names: readonly string[],
): Promise<boolean> {
  const count = ids.length;
  const done = await confirm({
    title: translate('sessions:terminate.question', { count }),
    effect: translate('sessions:terminate.effect'),
    names,
    confirmLabel: translate('sessions:terminate.confirm', { count }),
    danger: true,
    run: () => terminateSessions(ids),
  });
  if (done) toast({ tone: 'ok', text: translate('sessions:terminate.done', { count }) });
  return done;
}
