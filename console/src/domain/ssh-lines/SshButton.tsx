import { Terminal } from 'lucide-react';
import { lazy, Suspense, useState } from 'react';
import { loadNamespaces, useT } from '#/lib/i18n';
import type { Named } from '#/lib/ssh-lines';
import { Button } from '#/ui/button';
import { visible } from '#/ui/visible-text';

const SshDialog = lazy(async () => {
  const [dialog] = await Promise.all([import('./SshDialog'), loadNamespaces(['ssh-lines'])]);
  return dialog;
});

/** Button beside “Connect”: commands for the person's own SSH client. */
export function SshButton({ asset, size }: { readonly asset: Named; readonly size?: 'sm' }) {
  const t = useT();
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Button
        icon={Terminal}
        size={size}
        aria-label={t('ui:ssh_lines', { asset: visible(asset.name) })}
        onClick={() => setIsOpen(true)}
      >
        SSH
      </Button>
      {isOpen && (
        <Suspense>
          <SshDialog asset={asset} onClose={() => setIsOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
