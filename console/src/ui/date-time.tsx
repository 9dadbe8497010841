import { Calendar } from 'lucide-react';
import { type ComponentPropsWithRef, useRef, useState } from 'react';
import { useT } from '#/lib/i18n';
import { TextInput } from './field';

const SHAPE = /^\s*(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T](\d{1,2}):(\d{2}))?\s*$/;
const two = (text: string | undefined): string => (text ?? '0').padStart(2, '0');

/** `2026-1-5 9:30` → `2026-01-05T09:30`; a day alone gets `time`; null when it is no date. */
export function parseTyped(text: string, time = '00:00'): string | null {
  const match = SHAPE.exec(text);
  if (!match) return null;
  const clock = match[4] === undefined ? time : `${two(match[4])}:${two(match[5])}`;
  const value = `${match[1]}-${two(match[2])}-${two(match[3])}T${clock}`;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) || date.getDate() !== Number(match[3]) ? null : value;
}

/**
 * Date and time as `2026-11-20 15:45` in every browser and language: typed, or picked in the browser's own calendar.
 * Value and changes are those of a `datetime-local` field; what is no date is handed on as typed, so that it can be refused.
 */
export function DateTimeInput({
  value,
  onChange,
  dayTime,
  className = '',
  disabled,
  ref,
  ...rest
}: Omit<ComponentPropsWithRef<'input'>, 'value' | 'onChange' | 'type'> & {
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Time of a day that is typed without one, `00:00` by default. */
  readonly dayTime?: string;
}) {
  const t = useT();
  const picker = useRef<HTMLInputElement>(null);
  const [typing, setTyping] = useState<string | null>(null);
  return (
    <span className={`relative block w-48 max-sm:w-full ${className}`}>
      <TextInput
        {...rest}
        ref={ref}
        disabled={disabled}
        className="pr-8! tabular-nums"
        placeholder="YYYY-MM-DD HH:mm"
        inputMode="numeric"
        value={typing ?? value.replace('T', ' ')}
        onChange={(event) => {
          setTyping(event.target.value);
          onChange(parseTyped(event.target.value, dayTime) ?? event.target.value);
        }}
        onBlur={(event) => {
          setTyping(null);
          rest.onBlur?.(event);
        }}
      />
      <input
        ref={picker}
        type="datetime-local"
        tabIndex={-1}
        aria-hidden
        className="pointer-events-none absolute right-0 bottom-0 size-px opacity-0"
        value={parseTyped(value) ?? ''}
        disabled={disabled}
        onChange={(event) => onChange(event.target.value)}
      />
      <button
        type="button"
        className="absolute inset-y-0 right-1 my-auto grid size-6 place-items-center rounded-2 text-ink-3 hover:text-ink-1"
        aria-label={t('ui:calendar')}
        title={t('ui:calendar')}
        disabled={disabled}
        onClick={() => picker.current?.showPicker()}
      >
        <Calendar aria-hidden />
      </button>
    </span>
  );
}
