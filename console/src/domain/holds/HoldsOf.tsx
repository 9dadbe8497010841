import { useQuery } from '@tanstack/react-query';
import { Archive } from 'lucide-react';
import { useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { useIsRootOrganization, useMay } from '#/lib/session';
import { Button } from '#/ui/button';
import { Card } from '#/ui/card';
import { SkeletonLines } from '#/ui/skeleton';
import { Badge } from '#/ui/status';
import { toast } from '#/ui/toast';
import { type HeldObject, holdsQuery, isInEffect, placeHold, reloadHolds } from './api';
import { HoldDialog } from './HoldDialog';
import { HoldRow } from './HoldRow';

/** The holds of a session or a person, for auditors. Administrators place and remove them. */
export function HoldsOf({ object, name }: { readonly object: HeldObject; readonly name: string }) {
  const t = useT();
  const isAdmin = useMay('admin');
  const isRoot = useIsRootOrganization();
  const [isPlacing, setPlacing] = useState(false);
  const holds = useQuery(holdsQuery(object));
  const isPerson = 'user' in object;
  const reasonNot = isAdmin ? (isRoot ? t('holds:needs_organization') : undefined) : t('holds:needs_admin');
  return (
    <Card
      title={t('holds:title')}
      actions={
        <Button size="sm" icon={Archive} disabledReason={reasonNot} onClick={() => setPlacing(true)}>
          {t('holds:place')}
        </Button>
      }
    >
      {holds.isPending && <SkeletonLines lines={2} />}
      {holds.isError && <p className="text-danger">{explain(holds.error)}</p>}
      {holds.data?.length === 0 && (
        <p className="text-ink-3">{t(isPerson ? 'holds:none_of_person' : 'holds:none_of_session')}</p>
      )}
      {holds.data !== undefined && holds.data.length > 0 && (
        <>
          {holds.data.some(isInEffect) && (
            <Badge tone="warn" icon={Archive}>
              {t('holds:sign')}
            </Badge>
          )}
          <ul>
            {holds.data.map((hold) => (
              <HoldRow key={hold.id} hold={hold} mayRemove={isAdmin} />
            ))}
          </ul>
        </>
      )}
      {isPlacing && (
        <HoldDialog
          title={t('holds:place_title', { name })}
          effect={t(isPerson ? 'holds:effect_of_person' : 'holds:effect_of_session')}
          confirmLabel={t('holds:place')}
          withEnd
          onConfirm={async (reason, dateEnd) => {
            await placeHold(object, reason, dateEnd);
            toast({ tone: 'ok', text: t('holds:done') });
            await reloadHolds();
          }}
          onClose={() => setPlacing(false)}
        />
      )}
    </Card>
  );
}
