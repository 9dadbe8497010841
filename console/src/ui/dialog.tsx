import { X } from 'lucide-react';
import type { ReactNode } from 'react';
import { Dialog as AriaDialog, Heading, Modal } from 'react-aria-components';
import { useT } from '#/lib/i18n';
import { IconButton } from './button';
import { ModalLayer } from './modal-layer';

const WIDTH = { text: 'max-w-[440px]', form: 'max-w-[640px]', wizard: 'max-w-[1120px]' } as const;

export interface DialogProps {
  readonly title: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly size?: keyof typeof WIDTH;
  readonly footer?: ReactNode;
  readonly children?: ReactNode;
  /** `alertdialog` for questions that must be answered. */
  readonly role?: 'dialog' | 'alertdialog';
}

/** A modal dialog. Focus moves in, Escape closes, focus returns to the opener. */
export function Dialog({
  title,
  isOpen,
  onClose,
  size = 'form',
  footer,
  children,
  role = 'dialog',
}: DialogProps) {
  const t = useT();
  return (
    <ModalLayer
      isOpen={isOpen}
      isDismissable={role === 'dialog'}
      onClose={onClose}
      className="grid grid-cols-1 items-start justify-items-center overflow-y-auto p-4 pt-[12vh] max-sm:pt-4"
    >
      <Modal className={`w-full ${WIDTH[size]}`}>
        <AriaDialog
          role={role}
          className="flex max-h-[80vh] max-sm:max-h-[calc(100dvh-32px)] flex-col rounded-3 border border-line-2 bg-surface-1 shadow-dialog outline-none"
        >
          <header className="flex items-center gap-2 px-4 pt-4">
            <Heading slot="title" className="grow text-lead [overflow-wrap:anywhere]">
              {title}
            </Heading>
            {role === 'dialog' && (
              <IconButton icon={X} kind="text" size="sm" label={t('ui:close')} onClick={onClose} />
            )}
          </header>
          <div className="min-h-0 overflow-y-auto px-4 py-3">{children}</div>
          {footer !== undefined && (
            <footer className="flex flex-wrap justify-end gap-2 border-t border-line px-4 py-3">
              {footer}
            </footer>
          )}
        </AriaDialog>
      </Modal>
    </ModalLayer>
  );
}
