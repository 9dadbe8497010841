import { Archive } from 'lucide-react';
import { useT } from '#/lib/i18n';
import { Badge } from '#/ui/status';
import type { SessionRow } from './api';

/** Says that nothing deletes the session; nothing for others. */
export function HoldBadge({ session }: { readonly session: Pick<SessionRow, 'is_on_hold'> }) {
  const t = useT();
  if (!session.is_on_hold) return null;
  return (
    <Badge tone="warn" icon={Archive} title={t('sessions:hold.why')}>
      {t('sessions:hold.sign')}
    </Badge>
  );
}
