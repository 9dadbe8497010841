import { type ComponentPropsWithRef, useState } from 'react';
import { TextInput } from '../field';

const SHAPE = /^\s*(\d{1,2})(?:[:：.](\d{1,2}))?(?:[:：.](\d{1,2}))?\s*$/;
/** Digits without a separator: `930`, `0930`. */
const DIGITS = /^\s*(\d{1,2})(\d{2})\s*$/;
const LIMITS = [24, 60, 60] as const;
const two = (part: number): string => String(part).padStart(2, '0');

/**
 * Parses `9:30`, `930` and `9` to `09:30` and `09:00`; with seconds `09:30:00`. Null for text that is not a time of
 * day.
 */
export function readClock(text: string, seconds = false): string | null {
  const match = DIGITS.exec(text) ?? SHAPE.exec(text);
  if (!match || (!seconds && match[3] !== undefined)) return null;
  const parts = [match[1], match[2], match[3]].map((part) => Number(part ?? 0));
  if (parts.some((part, index) => part >= (LIMITS[index] ?? 0))) return null;
  return parts
    .slice(0, seconds ? 3 : 2)
    .map(two)
    .join(':');
}

/** Changes the hour, minute or second at this position of the text by one, wrapping around. */
export function stepClock(clock: string, caret: number, by: 1 | -1): string {
  const parts = clock.split(':').map(Number);
  const index = Math.min(Math.floor(caret / 3), parts.length - 1);
  const limit = LIMITS[index] ?? 60;
  return parts.map((part, place) => two(place === index ? (part + by + limit) % limit : part)).join(':');
}

const STEP: Readonly<Record<string, 1 | -1>> = { ArrowUp: 1, ArrowDown: -1 };

/**
 * A time of day in 24 hours: typed, or changed with the arrow keys. Invalid text is passed on unchanged, so that the
 * form can reject it.
 */
export function ClockInput({
  value,
  onChange,
  seconds = false,
  className = '',
  ...rest
}: Omit<ComponentPropsWithRef<'input'>, 'value' | 'onChange' | 'type'> & {
  readonly value: string;
  readonly onChange: (value: string) => void;
  readonly seconds?: boolean;
}) {
  const [typing, setTyping] = useState<string | null>(null);
  return (
    <TextInput
      {...rest}
      className={`tabular-nums ${className}`}
      inputMode="numeric"
      placeholder={seconds ? 'HH:mm:ss' : 'HH:mm'}
      value={typing ?? value}
      onChange={(event) => {
        setTyping(event.target.value);
        onChange(readClock(event.target.value, seconds) ?? event.target.value);
      }}
      onBlur={(event) => {
        setTyping(null);
        rest.onBlur?.(event);
      }}
      onKeyDown={(event) => {
        rest.onKeyDown?.(event);
        const by = STEP[event.key];
        const clock = readClock(value, seconds);
        if (by === undefined || clock === null) return;
        event.preventDefault();
        const field = event.currentTarget;
        const caret = field.selectionStart ?? 0;
        setTyping(null);
        onChange(stepClock(clock, caret, by));
        requestAnimationFrame(() => field.setSelectionRange(caret, caret));
      }}
    />
  );
}
