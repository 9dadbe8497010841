import { type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { IconButton } from './button';
import type { Icon } from './icon';
import { type Place, placeBeside } from './place';

const FOCUSABLE = 'input:not(:disabled), button:not(:disabled), select, textarea, a[href]';

/** Content of the button: an icon, or a short text as a chip. */
type ButtonFace =
  | { readonly icon: Icon; readonly text?: undefined }
  | { readonly icon?: undefined; readonly text: string };

/** A button that opens a small panel of controls. Focus moves in; Escape, Tab out and a press outside close it. */
export function PopoverButton({
  icon,
  text,
  label,
  align = 'end',
  children,
}: ButtonFace & {
  /** Names button and panel. */
  readonly label: string;
  readonly align?: 'start' | 'end';
  readonly children: ReactNode;
}) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const [place, setPlace] = useState<Place | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    setPlace(
      open && button.current && panel.current ? placeBeside(button.current, panel.current, align) : null,
    );
  }, [open, align]);
  const isPlaced = place !== null;
  useLayoutEffect(() => {
    if (isPlaced) panel.current?.querySelector<HTMLElement>(FOCUSABLE)?.focus();
  }, [isPlaced]);
  useEffect(() => {
    if (!open) return undefined;
    const outside = (event: Event) => {
      const target = event.target as Node;
      if (!panel.current?.contains(target) && !button.current?.contains(target)) setOpen(false);
    };
    const away = () => setOpen(false);
    document.addEventListener('pointerdown', outside, true);
    window.addEventListener('resize', away);
    return () => {
      document.removeEventListener('pointerdown', outside, true);
      window.removeEventListener('resize', away);
    };
  }, [open]);
  const opener = {
    ref: button,
    'aria-expanded': open,
    'aria-controls': open ? id : undefined,
    onClick: () => setOpen(!open),
  };
  return (
    <span
      role="presentation"
      className="contents"
      onBlur={(event) => {
        if (event.relatedTarget && !event.currentTarget.contains(event.relatedTarget)) setOpen(false);
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || !open) return;
        event.stopPropagation();
        setOpen(false);
        button.current?.focus();
      }}
    >
      {icon === undefined ? (
        <button
          {...opener}
          type="button"
          className="pt-chip min-h-6 flex-none cursor-pointer hover:bg-hover"
          aria-label={label}
        >
          {text}
        </button>
      ) : (
        <IconButton {...opener} icon={icon} label={label} />
      )}
      {open && (
        <div
          ref={panel}
          id={id}
          role="group"
          aria-label={label}
          className="pt-popover fixed w-max max-w-[calc(100vw-8px)] p-2"
          style={
            place
              ? { top: place.top, left: place.left, maxHeight: place.maxHeight }
              : { visibility: 'hidden' }
          }
        >
          {children}
        </div>
      )}
    </span>
  );
}
