import { Calendar } from 'lucide-react';
import { type ComponentPropsWithRef, lazy, Suspense, useRef, useState } from 'react';
import { loadNamespaces, useT } from '#/lib/i18n';
import { TextInput } from '../field';
import type { DateShortcut } from './shortcuts';
import { type DateBounds, type DateKind, readTyped, written } from './typed';

// Loaded on demand: calendars are rarely opened.
const DatePanel = lazy(async () => {
  const [part] = await Promise.all([import('./DatePanel'), loadNamespaces(['dates'])]);
  return { default: part.DatePanel };
});

const PLACEHOLDER: Readonly<Record<DateKind, string>> = {
  date: 'YYYY-MM-DD',
  datetime: 'YYYY-MM-DD HH:mm',
};
const NO_SHORTCUTS: readonly DateShortcut[] = [];
const NO_BOUNDS: DateBounds = {};

/**
 * A day (`2026-11-20`) or an instant (`2026-11-20T15:45`, in the browser's zone) in every browser and language: typed,
 * or chosen in a calendar. Invalid text is passed on unchanged, so that the form can reject it.
 */
export function DateTimeInput({
  value,
  onChange,
  kind = 'datetime',
  calendarLabel,
  dayTime = '00:00',
  bounds = NO_BOUNDS,
  shortcuts = NO_SHORTCUTS,
  className = '',
  disabled,
  ref,
  ...rest
}: Omit<ComponentPropsWithRef<'input'>, 'value' | 'onChange' | 'type' | 'min' | 'max'> & {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly kind?: DateKind;
  /** Names the calendar and its button. */
  readonly calendarLabel?: string;
  /** Time of day for a typed day without a time. */
  readonly dayTime?: string;
  /** Bounds of the calendar. The form rejects typed values beyond them. */
  readonly bounds?: DateBounds;
  readonly shortcuts?: readonly DateShortcut[];
}) {
  const t = useT();
  const opener = useRef<HTMLButtonElement>(null);
  const [open, setOpen] = useState(false);
  const [typing, setTyping] = useState<string | null>(null);
  const label =
    calendarLabel === undefined ? t('ui:calendar') : t('ui:calendar_of', { label: calendarLabel });
  return (
    <span className={`relative block w-48 max-sm:w-full ${className}`}>
      <TextInput
        {...rest}
        ref={ref}
        disabled={disabled}
        className="pr-8! tabular-nums"
        placeholder={PLACEHOLDER[kind]}
        inputMode="numeric"
        value={typing ?? written(value)}
        onChange={(event) => {
          const typed = readTyped(event.target.value, kind, { time: dayTime });
          setTyping(event.target.value);
          onChange('value' in typed ? typed.value : event.target.value);
        }}
        onBlur={(event) => {
          setTyping(null);
          rest.onBlur?.(event);
        }}
        onKeyDown={(event) => {
          rest.onKeyDown?.(event);
          if (event.key !== 'ArrowDown' || !event.altKey) return;
          event.preventDefault();
          setOpen(true);
        }}
      />
      <button
        ref={opener}
        type="button"
        className="absolute inset-y-0 right-1 my-auto grid size-6 place-items-center rounded-2 text-ink-3 hover:text-ink-1"
        aria-label={label}
        aria-haspopup="dialog"
        aria-expanded={open}
        title={label}
        disabled={disabled}
        onClick={() => setOpen(true)}
      >
        <Calendar aria-hidden />
      </button>
      {open && (
        <Suspense>
          <DatePanel
            label={label}
            kind={kind}
            value={value}
            bounds={bounds}
            dayTime={dayTime}
            shortcuts={shortcuts}
            opener={opener}
            onChange={(chosen) => {
              setTyping(null);
              onChange(chosen);
            }}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </span>
  );
}
