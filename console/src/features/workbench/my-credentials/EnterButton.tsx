import { Plus } from 'lucide-react';
import { useT } from '#/lib/i18n';
import { useOnline } from '#/resource/use-online';
import { Button } from '#/ui/button';
import { openCredentialDialog } from './dialog';

/** Opens the dialog for an asset that is chosen in it. */
export function EnterButton({ onEntered }: { readonly onEntered: () => void }) {
  const t = useT();
  const isOnline = useOnline();
  return (
    <Button
      kind="primary"
      icon={Plus}
      disabledReason={isOnline ? undefined : t('resource:offline.action')}
      onClick={() => openCredentialDialog({ of: null, done: onEntered })}
    >
      {t('my-credentials:enter')}
    </Button>
  );
}
