import { useState } from 'react';
import { explain } from '#/lib/http/catalogue';
import { saveFile } from '#/lib/http/file';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Dialog } from '#/ui/dialog';
import { Note } from '#/ui/note';
import { toast } from '#/ui/toast';
import { generateKey } from './api';
import { useWantedDialog } from './wanted-dialog';

/**
 * Generates a key pair on the server. The public key replaces the stored keys; the private key is downloaded as a file
 * and stored nowhere.
 */
export function GeneratedKey({
  username,
  onSaved,
}: {
  readonly username: string;
  readonly onSaved: () => void;
}) {
  const t = useT();
  const [isOpen, setOpen] = useState(false);
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const [wanted, leave] = useWantedDialog('key');
  const close = (changed: boolean) => {
    setOpen(false);
    setFailure(null);
    leave(changed);
  };
  const generate = async () => {
    setBusy(true);
    setFailure(null);
    try {
      saveFile(new Blob([await generateKey()], { type: 'application/x-pem-file' }), `${username}.pem`);
      toast({ tone: 'ok', text: t('profile:ssh_key.saved') });
      onSaved();
      close(true);
    } catch (error) {
      setFailure(explain(error));
    }
    setBusy(false);
  };
  return (
    <div>
      <Button onClick={() => setOpen(true)}>{t('profile:ssh_key.generate')}</Button>
      {(isOpen || wanted === 'generate') && (
        <Dialog
          isOpen
          title={t('profile:ssh_key.generate')}
          onClose={() => close(false)}
          footer={
            <>
              <Button onClick={() => close(false)}>{t('ui:cancel')}</Button>
              <Button kind="primary" busy={busy} onClick={() => void generate()}>
                {t('profile:ssh_key.generate_do')}
              </Button>
            </>
          }
        >
          {failure !== null && (
            <Note tone="danger" announce>
              {failure}
            </Note>
          )}
          <p>{t('profile:ssh_key.generate_effect')}</p>
        </Dialog>
      )}
    </div>
  );
}
