import { translate } from '#/lib/i18n';
import { confirm } from '#/ui/confirm';
import { toast } from '#/ui/toast';
import { terminateSessions, type SessionRow } from './api';

type Named = Pick<SessionRow, 'id' | 'user' | 'asset'>;

/**
 * Asks for confirmation with the names of the people affected, then terminates. Resolves to whether the order was sent.
 */
export async function confirmTerminate(sessions: readonly Named[]): Promise<boolean> {
  const count = sessions.length;
  const done = await confirm({
    title: translate('sessions:terminate.question', { count }),
    effect: translate('sessions:terminate.effect'),
    names: sessions.map((session) => `${session.user} → ${session.asset}`),
    confirmLabel: translate('sessions:terminate.confirm', { count }),
    danger: true,
    run: () => terminateSessions(sessions.map((session) => session.id)),
  });
  if (done) toast({ tone: 'ok', text: translate('sessions:terminate.done', { count }) });
  return done;
}
