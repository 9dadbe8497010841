import { Lock } from 'lucide-react';
import { useT } from '#/lib/i18n';
import { Badge } from '#/ui/status';
import type { SessionRow } from './api';

/** Says who locked a running session, or `short`ly that it is locked; nothing for others. */
export function LockBadge({
  session,
  short = false,
}: {
  readonly session: SessionRow;
  readonly short?: boolean;
}) {
  const t = useT();
  if (!session.is_locked || session.is_finished) return null;
  const whole = t('sessions:lock.by', { name: session.locked_by });
  return (
    <Badge tone="warn" icon={Lock} {...(short ? { title: whole } : {})}>
      {short ? t('sessions:lock.sign') : whole}
    </Badge>
  );
}
