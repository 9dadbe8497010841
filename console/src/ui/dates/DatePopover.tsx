import type { ReactNode, RefObject } from 'react';
import { Dialog, I18nProvider, Modal, Popover } from 'react-aria-components';
import { currentLocale } from '#/lib/i18n';
import { ModalLayer } from '../modal-layer';
import { useMedia } from '../use-media';

/**
 * Popover below the field; on a phone a sheet at the lower edge. Focus moves in, Escape closes, focus returns to the
 * opener.
 */
export function DatePopover({
  label,
  opener,
  onClose,
  children,
}: {
  readonly label: string;
  readonly opener: RefObject<HTMLElement | null>;
  readonly onClose: () => void;
  readonly children: ReactNode;
}) {
  const isPhone = useMedia('(width < 640px)');
  const content = (
    <Dialog aria-label={label} className="outline-none">
      {children}
    </Dialog>
  );
  return (
    <I18nProvider locale={currentLocale()}>
      {isPhone ? (
        <ModalLayer onClose={onClose} className="flex flex-col justify-end">
          <Modal className="max-h-[90dvh] overflow-y-auto rounded-t-3 border-t border-line-2 bg-surface-1 shadow-dialog">
            {content}
          </Modal>
        </ModalLayer>
      ) : (
        <Popover
          isOpen
          onOpenChange={(open) => {
            if (!open) onClose();
          }}
          triggerRef={opener}
          placement="bottom end"
          offset={6}
          className="pt-popover"
        >
          {content}
        </Popover>
      )}
    </I18nProvider>
  );
}
