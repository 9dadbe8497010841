import { type ReactNode, useEffect, useRef, useState } from 'react';
import { I18nProvider, ModalOverlay } from 'react-aria-components';
import { currentLocale } from '#/lib/i18n';

const LAYER = 'pt-overlay';
const ABOVE_THE_PAGE = `.${LAYER}, .pt-popover`;

/**
 * Gives the focus back to what had it before the layer opened. React Aria does that itself, but a frame too early for a
 * layer that closes after an answer of the server: the page is still inert then, and the focus would stay on the body.
 */
function FocusBack() {
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      requestAnimationFrame(() => {
        if (document.activeElement === document.body && opener instanceof HTMLElement) opener.focus();
      });
    },
    [opener],
  );
  return null;
}

/** The layer of a dialog, drawer or palette above the page: Escape closes it, and a press outside if allowed. */
export function ModalLayer({
  isOpen = true,
  isDismissable = true,
  onClose,
  className,
  children,
}: {
  readonly isOpen?: boolean;
  readonly isDismissable?: boolean;
  readonly onClose: () => void;
  readonly className: string;
  /** The `Modal`. */
  readonly children: ReactNode;
}) {
  const layer = useRef<HTMLDivElement>(null);
  // The overlay hears a key only while the focus is inside it. When the focused element is removed, React Aria moves
  // the focus back inside a frame later; an Escape before that reaches only the body.
  useEffect(() => {
    if (!isOpen) return undefined;
    const onKeyDown = (event: KeyboardEvent) => {
      const isTopmost = [...document.querySelectorAll(ABOVE_THE_PAGE)].at(-1) === layer.current;
      if (event.key === 'Escape' && event.target === document.body && isTopmost) onClose();
    };
    document.addEventListener('keydown', onKeyDown);
    return () => document.removeEventListener('keydown', onKeyDown);
  }, [isOpen, onClose]);
  return (
    <I18nProvider locale={currentLocale()}>
      {isOpen && <FocusBack />}
      <ModalOverlay
        ref={layer}
        isOpen={isOpen}
        isDismissable={isDismissable}
        onOpenChange={(open) => {
          if (!open) onClose();
        }}
        className={`${LAYER} ${className}`}
      >
        {children}
      </ModalOverlay>
    </I18nProvider>
  );
}
