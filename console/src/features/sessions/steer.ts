import { translate } from '#/lib/i18n';
import { toast } from '#/ui/toast';
import { lockSessions } from './api';

/**
 * Locks or unlocks sessions. Nothing is asked, because locking destroys nothing. Resolves to whether it was ordered for
 * any of them; the shell has shown a failure.
 */
export async function changeLock(ids: readonly string[], lock: boolean): Promise<boolean> {
  try {
    const { ok } = await lockSessions(ids, lock);
    const count = ok.length;
    if (count === 0) return false;
    toast({
      tone: 'ok',
      text: lock ? translate('sessions:lock.done', { count }) : translate('sessions:unlock.done', { count }),
    });
    return true;
  } catch {
    return false;
  }
}
