import { useState } from 'react';
import { useT } from '#/lib/i18n';
import { useIsRootOrganization } from '#/lib/session';
import { exactTime, parseTime } from '#/lib/time';
import { Button } from '#/ui/button';
import { toast } from '#/ui/toast';
import { VisibleText } from '#/ui/visible-text';
import { type Hold, isInEffect, releaseHold, reloadHolds } from './api';
import { HoldDialog } from './HoldDialog';

/** Until when the hold has an effect, or that its end has come. */
function EndText({ hold }: { readonly hold: Hold }) {
  const t = useT();
  const end = parseTime(hold.date_end);
  if (!end) return t('holds:no_end');
  return t(isInEffect(hold) ? 'holds:until' : 'holds:ended', { time: exactTime(end) });
}

/** A hold: why, who, since and until when, with the button that removes it. For all organizations also where. */
export function HoldRow({ hold, mayRemove }: { readonly hold: Hold; readonly mayRemove: boolean }) {
  const t = useT();
  const [isRemoving, setRemoving] = useState(false);
  const placed = parseTime(hold.date_created);
  const isRoot = useIsRootOrganization();
  return (
    <li className="flex items-start gap-2 py-1.5">
      <div className="min-w-0 grow [overflow-wrap:anywhere]">
        <VisibleText text={hold.reason} />
        <div className="text-meta text-ink-3">
          {t(hold.session === null ? 'holds:of_person' : 'holds:of_session')} ·{' '}
          {t('holds:placed', { name: hold.created_by, time: placed ? exactTime(placed) : '' })} ·{' '}
          <EndText hold={hold} />
          {isRoot && ` · ${hold.org_name}`}
        </div>
      </div>
      {mayRemove && (
        <Button size="sm" onClick={() => setRemoving(true)}>
          {t('holds:remove')}
        </Button>
      )}
      {isRemoving && (
        <HoldDialog
          title={t('holds:remove_title', { name: hold.name })}
          effect={t('holds:remove_effect')}
          confirmLabel={t('holds:remove')}
          onConfirm={async (reason) => {
            await releaseHold(hold.id, reason);
            toast({ tone: 'ok', text: t('holds:removed') });
            await reloadHolds();
          }}
          onClose={() => setRemoving(false)}
        />
      )}
    </li>
  );
}
