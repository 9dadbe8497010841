import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Modal } from 'react-aria-components';
import { ModalLayer } from './modal-layer';

/** A panel from the edge: navigation on phones (left), filters and previews (right). */
export function Drawer({
  title,
  isOpen,
  onClose,
  side = 'right',
  children,
}: {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly side?: 'left' | 'right';
  readonly children: ReactNode;
}) {
  return (
    <ModalLayer isOpen={isOpen} onClose={onClose} className="flex">
      <Modal
        className={`h-dvh w-[min(400px,86vw)] bg-surface-1 shadow-dialog ${side === 'right' ? 'ml-auto border-l' : 'mr-auto border-r'} border-line-2`}
      >
        <AriaDialog aria-label={title} className="flex h-full flex-col outline-none">
          {children}
        </AriaDialog>
      </Modal>
    </ModalLayer>
  );
}
