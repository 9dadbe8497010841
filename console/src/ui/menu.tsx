import { useRouter } from '@tanstack/react-router';
import {
  type KeyboardEvent,
  type ReactNode,
  type RefObject,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { type ButtonLook, buttonLook } from './button';
import type { Icon } from './icon';
import { splitTarget } from './link';
import { type Place, placeBeside } from './place';

export interface MenuEntry {
  readonly id: string;
  readonly label: string;
  readonly icon?: Icon;
  readonly detail?: string;
  readonly danger?: boolean;
  readonly selected?: boolean;
  /** Why the entry is disabled; it stays visible and shows the reason. */
  readonly disabledReason?: string;
  /** Navigates to this address instead of calling `run`. */
  readonly href?: string;
  readonly newTab?: boolean;
  readonly run?: () => void;
  /** Draws a separator above this entry. */
  readonly separated?: boolean;
  /** Names the group that starts with this entry. */
  readonly heading?: string;
}

const TYPE_AHEAD_MS = 600;

interface MenuListProps {
  readonly id?: string;
  readonly label: string;
  readonly entries: readonly MenuEntry[];
  readonly anchor: RefObject<Element | null>;
  readonly align: 'start' | 'end';
  /** Focus the last entry first (opened with the up arrow). */
  readonly fromEnd?: boolean;
  readonly onClose: (refocus: boolean) => void;
}

/** Closes the menu on a press outside, and when the window is resized or left. */
function useOutside(
  list: RefObject<Element | null>,
  anchor: RefObject<Element | null>,
  close: RefObject<(refocus: boolean) => void>,
): void {
  useEffect(() => {
    const outside = (event: Event) => {
      const target = event.target as Node;
      if (!list.current?.contains(target) && !anchor.current?.contains(target)) close.current(false);
    };
    const away = () => close.current(false);
    document.addEventListener('pointerdown', outside, true);
    window.addEventListener('resize', away);
    window.addEventListener('blur', away);
    return () => {
      document.removeEventListener('pointerdown', outside, true);
      window.removeEventListener('resize', away);
      window.removeEventListener('blur', away);
    };
  }, [list, anchor, close]);
}

function MenuItem({ entry, onChoose }: { readonly entry: MenuEntry; readonly onChoose: () => void }) {
  const isDisabled = entry.disabledReason !== undefined || undefined;
  return (
    // The menu handles the keys.
    // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions
    <div
      role={entry.selected === undefined ? 'menuitem' : 'menuitemradio'}
      aria-checked={entry.selected}
      aria-disabled={isDisabled}
      tabIndex={-1}
      className="pt-item pt-menu-item"
      data-danger={(entry.danger && !isDisabled) || undefined}
      data-selected={entry.selected || undefined}
      data-disabled={isDisabled}
      onMouseEnter={(event) => event.currentTarget.focus({ preventScroll: true })}
      onClick={onChoose}
    >
      {entry.icon && <entry.icon aria-hidden />}
      <span className="grow">
        {entry.label}
        {(entry.disabledReason ?? entry.detail) !== undefined && (
          <span className="block text-meta text-ink-3">{entry.disabledReason ?? entry.detail}</span>
        )}
      </span>
    </div>
  );
}

/**
 * An open menu: focus moves inside; arrows, Home, End and letters move, Escape and Tab close, Enter and Space choose.
 */
function MenuList({ id, label, entries, anchor, align, fromEnd = false, onClose }: MenuListProps) {
  const router = useRouter({ warn: false });
  const list = useRef<HTMLUListElement>(null);
  const typed = useRef({ text: '', at: 0 });
  const [place, setPlace] = useState<Place | null>(null);
  const close = useRef(onClose);
  useEffect(() => {
    close.current = onClose;
  });
  const items = () => [...(list.current?.querySelectorAll<HTMLElement>('[role^=menuitem]') ?? [])];

  useLayoutEffect(() => {
    if (anchor.current && list.current) setPlace(placeBeside(anchor.current, list.current, align));
  }, [anchor, align]);
  const isPlaced = place !== null;
  useLayoutEffect(() => {
    if (isPlaced)
      items()
        .at(fromEnd ? -1 : 0)
        ?.focus();
  }, [isPlaced, fromEnd]);
  useOutside(list, anchor, close);

  const choose = (entry: MenuEntry) => {
    if (entry.disabledReason !== undefined) return;
    onClose(true);
    if (entry.href === undefined) entry.run?.();
    else if (entry.newTab || !router) window.open(entry.href, '_blank', 'noreferrer');
    else void router.navigate(splitTarget(entry.href));
  };
  const typeAhead = (key: string) => {
    const now = Date.now();
    const text = now - typed.current.at < TYPE_AHEAD_MS ? typed.current.text + key : key;
    typed.current = { text, at: now };
    items()
      .find((item) => item.textContent.trim().toLowerCase().startsWith(text.toLowerCase()))
      ?.focus();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLUListElement>) => {
    const all = items();
    const at = all.indexOf(document.activeElement as HTMLElement);
    const entry = entries[at];
    switch (event.key) {
      case 'ArrowDown':
        all[(at + 1) % all.length]?.focus();
        break;
      case 'ArrowUp':
        all[(at - 1 + all.length) % all.length]?.focus();
        break;
      case 'Home':
        all[0]?.focus();
        break;
      case 'End':
        all.at(-1)?.focus();
        break;
      case 'Escape':
        onClose(true);
        break;
      case 'Tab':
        onClose(true);
        return;
      case 'Enter':
      case ' ':
        if (entry) choose(entry);
        break;
      default:
        if (event.key.length === 1 && !event.ctrlKey && !event.metaKey) typeAhead(event.key);
        return;
    }
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <ul
      ref={list}
      id={id}
      role="menu"
      aria-label={label}
      className="pt-popover fixed min-w-44 max-w-80 p-1"
      style={
        place ? { top: place.top, left: place.left, maxHeight: place.maxHeight } : { visibility: 'hidden' }
      }
      onKeyDown={onKeyDown}
    >
      {entries.map((entry) => (
        <li key={entry.id} role="none" className={entry.separated ? 'mt-1 border-t border-line pt-1' : ''}>
          {entry.heading !== undefined && (
            <span className="block px-2 pt-1.5 pb-0.5 text-meta text-ink-3" role="presentation">
              {entry.heading}
            </span>
          )}
          <MenuItem entry={entry} onChoose={() => choose(entry)} />
        </li>
      ))}
    </ul>
  );
}

/** A button with a menu below it. `children` is the button's content; `label` names button and menu. */
export function MenuButton({
  label,
  entries,
  children,
  kind,
  size,
  iconOnly = false,
  className = '',
  align = 'end',
}: ButtonLook & {
  readonly label: string;
  readonly entries: readonly MenuEntry[];
  readonly children: ReactNode;
  readonly iconOnly?: boolean;
  readonly className?: string;
  readonly align?: 'start' | 'end';
}) {
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState<'start' | 'end' | null>(null);
  return (
    <>
      <button
        ref={button}
        type="button"
        className={`pt-button ${className}`}
        {...buttonLook({ kind, size }, iconOnly)}
        aria-label={iconOnly ? label : undefined}
        title={iconOnly ? label : undefined}
        aria-haspopup="menu"
        aria-expanded={open !== null}
        aria-controls={open === null ? undefined : id}
        onClick={() => setOpen(open === null ? 'start' : null)}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return;
          event.preventDefault();
          setOpen(event.key === 'ArrowUp' ? 'end' : 'start');
        }}
      >
        {children}
      </button>
      {open !== null && (
        <MenuList
          id={id}
          label={label}
          entries={entries}
          anchor={button}
          align={align}
          fromEnd={open === 'end'}
          onClose={(refocus) => {
            setOpen(null);
            if (refocus) button.current?.focus();
          }}
        />
      )}
    </>
  );
}

/** A menu beside any element, opened by its owner (rows, context menus). */
export function AnchoredMenu({
  anchor,
  label,
  entries,
  onClose,
}: {
  readonly anchor: RefObject<HTMLElement | null>;
  readonly label: string;
  readonly entries: readonly MenuEntry[];
  readonly onClose: () => void;
}) {
  return (
    <MenuList
      label={label}
      entries={entries}
      anchor={anchor}
      align="end"
      onClose={(refocus) => {
        onClose();
        if (refocus) anchor.current?.focus();
      }}
    />
  );
}
