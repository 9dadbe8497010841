import { useQueryClient } from '@tanstack/react-query';
import { CircleStop, Lock, LockOpen, MessageSquare } from 'lucide-react';
import { useState } from 'react';
import { useT } from '#/lib/i18n';
import { useMay } from '#/lib/session';
import { Button } from '#/ui/button';
import type { SessionRow } from './api';
import { MessageDialog } from './MessageDialog';
import { changeLock } from './steer';
import { confirmTerminate } from './terminate';

/** What administrators can do to a running session: send its user a message, lock it, end it. */
export function SteerButtons({ session, size }: { readonly session: SessionRow; readonly size?: 'sm' }) {
  const t = useT();
  const client = useQueryClient();
  const mayTerminate = useMay('admin');
  const [isWriting, setWriting] = useState(false);
  const [isBusy, setBusy] = useState(false);
  const disabledReason = mayTerminate ? undefined : t('sessions:terminate.needs_admin');
  const toggle = async (): Promise<void> => {
    setBusy(true);
    await changeLock([session.id], !session.is_locked);
    await client.invalidateQueries({ queryKey: ['terminal/sessions'] });
    void client.invalidateQueries({ queryKey: ['list', 'terminal/sessions/'] });
    setBusy(false);
  };
  return (
    <>
      <Button
        size={size}
        icon={MessageSquare}
        disabledReason={disabledReason}
        onClick={() => setWriting(true)}
      >
        {t('sessions:message.action')}
      </Button>
      <Button
        size={size}
        icon={session.is_locked ? LockOpen : Lock}
        busy={isBusy}
        disabledReason={disabledReason}
        onClick={() => void toggle()}
      >
        {session.is_locked ? t('sessions:unlock.action') : t('sessions:lock.action')}
      </Button>
      <Button
        size={size}
        kind="danger"
        icon={CircleStop}
        disabledReason={disabledReason}
        onClick={() => void confirmTerminate([session])}
      >
        {t('sessions:terminate.action')}
      </Button>
      {isWriting && <MessageDialog session={session} onClose={() => setWriting(false)} />}
    </>
  );
}
