import { Download } from 'lucide-react';
import { useState } from 'react';
import { useT } from '#/lib/i18n';
import { buttonLook } from '#/ui/button';
import { Dialog } from '#/ui/dialog';
import { Note } from '#/ui/note';
import type { Entry } from '../contract';
import { nameOf, pathIn } from '../pane-commands';
import type { PaneModel } from '../pane-model';

/** Shows a picture; the proxy decides what is one. */
export function PictureDialog({
  pane,
  entry,
  onClose,
}: {
  readonly pane: PaneModel;
  readonly entry: Entry;
  readonly onClose: () => void;
}) {
  const t = useT();
  const [isBroken, setBroken] = useState(false);
  const { api } = pane;
  if (api === null) return null;
  const path = pathIn(pane, entry);
  return (
    <Dialog
      isOpen
      size="wizard"
      title={nameOf(entry)}
      onClose={onClose}
      footer={
        <a className="pt-button" {...buttonLook({})} href={api.contentUrl(path)} download>
          <Download aria-hidden />
          {t('files:download.download')}
        </a>
      }
    >
      {isBroken ? (
        <Note tone="warn" announce>
          {t('files:picture.broken')}
        </Note>
      ) : (
        <img
          src={api.pictureUrl(path)}
          alt={nameOf(entry)}
          className="mx-auto block"
          // Whole at once: an area that scrolls would be out of reach for the keyboard.
          style={{ maxWidth: '100%', maxHeight: 'calc(100dvh - 320px)' }}
          onError={() => setBroken(true)}
        />
      )}
    </Dialog>
  );
}
