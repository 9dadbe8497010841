import { type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import { IconButton } from './button';
import type { Icon } from './icon';
import { type Place, placeBeside } from './place';

const FOCUSABLE = 'input:not(:disabled), button:not(:disabled), select, textarea, a[href]';

/** An icon button that opens a small panel of controls. Focus goes in; Escape, Tab out and a press outside close it. */
export function PopoverButton({
  icon,
  label,
  children,
}: {
  readonly icon: Icon;
  /** Names button and panel. */
  readonly label: string;
  readonly children: ReactNode;
}) {
  const id = useId();
  const [open, setOpen] = useState(false);
  const [place, setPlace] = useState<Place | null>(null);
  const button = useRef<HTMLButtonElement>(null);
  const panel = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    setPlace(
      open && button.current && panel.current ? placeBeside(button.current, panel.current, 'end') : null,
    );
  }, [open]);
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
      <IconButton
        ref={button}
        icon={icon}
        label={label}
        aria-expanded={open}
        aria-controls={open ? id : undefined}
        onClick={() => setOpen(!open)}
      />
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
