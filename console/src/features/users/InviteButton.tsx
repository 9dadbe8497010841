import { UserPlus } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { useT } from '#/lib/i18n';
import { useMay } from '#/lib/session';
import { Button } from '#/ui/button';
import { managesMembers } from './user-actions';

const InviteDialog = lazy(async () => ({ default: (await import('./InviteDialog')).InviteDialog }));

/** Adds existing people to this organization. Needs a licence; not available in the root organization. */
export function InviteButton({ onInvited }: { readonly onInvited: () => void }) {
  const t = useT();
  const mayWrite = useMay('admin');
  const [isOpen, setOpen] = useState(false);
  if (!mayWrite || !managesMembers()) return null;
  return (
    <>
      <Button icon={UserPlus} onClick={() => setOpen(true)}>
        {t('users:invite.action')}
      </Button>
      {isOpen && (
        <Suspense>
          <InviteDialog onClose={() => setOpen(false)} onInvited={onInvited} />
        </Suspense>
      )}
    </>
  );
}
