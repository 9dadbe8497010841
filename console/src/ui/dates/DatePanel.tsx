import { type CalendarDate, parseDate } from '@internationalized/date';
import { type RefObject, useId, useState } from 'react';
import { Calendar } from 'react-aria-components';
import { useT } from '#/lib/i18n';
import { ClockInput } from './ClockInput';
import { DatePopover } from './DatePopover';
import { MonthGrid } from './MonthGrid';
import { PanelFrame } from './PanelFrame';
import type { DateShortcut } from './shortcuts';
import { type DateBounds, type DateKind, fieldValue, instantOf, readTyped, written } from './typed';

/** Day of a value for the calendar; null when the value is not a date. */
export function dayOf(value: string): CalendarDate | null {
  const typed = readTyped(written(value).slice(0, 'YYYY-MM-DD'.length), 'date');
  return 'value' in typed ? parseDate(typed.value) : null;
}

const dayOfInstant = (date: Date | undefined): CalendarDate | undefined =>
  date && parseDate(fieldValue(date, 'date'));

export interface DatePanelProps {
  readonly label: string;
  readonly kind: DateKind;
  readonly value: string;
  readonly bounds: DateBounds;
  /** Default time of day for a newly chosen day. */
  readonly dayTime: string;
  readonly shortcuts: readonly DateShortcut[];
  readonly opener: RefObject<HTMLElement | null>;
  readonly onChange: (value: string) => void;
  readonly onClose: () => void;
}

/** Calendar for one day or instant. A day is taken on click, an instant on Apply. */
export function DatePanel(props: DatePanelProps) {
  const { label, kind, value, bounds, dayTime, shortcuts, opener, onChange, onClose } = props;
  const t = useT();
  const clockId = useId();
  const [day, setDay] = useState(() => dayOf(value));
  const [clock, setClock] = useState(() => value.split('T')[1] ?? dayTime);
  const [opened] = useState(() => new Date());
  const [problem, setProblem] = useState<string | null>(null);
  const take = (chosen: string) => {
    onChange(chosen);
    onClose();
  };
  const apply = () => {
    const typed = readTyped(`${day?.toString() ?? ''} ${clock}`, kind, bounds);
    if ('value' in typed) take(typed.value);
    else setProblem(day === null ? t('dates:choose_day') : t(typed.problem.key, typed.problem.values));
  };
  const withTime = kind === 'datetime';
  return (
    <DatePopover label={label} opener={opener} onClose={onClose}>
      <PanelFrame
        shortcuts={shortcuts.map((shortcut) => ({ ...shortcut, run: () => take(shortcut.value()) }))}
        calendar={
          <Calendar
            aria-label={label}
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- a dialog opened by keyboard takes the focus
            autoFocus
            value={day}
            minValue={dayOfInstant(bounds.min)}
            maxValue={dayOfInstant(bounds.max)}
            onChange={(chosen) => {
              setProblem(null);
              if (withTime) setDay(chosen);
              else take(chosen.toString());
            }}
          >
            <MonthGrid />
          </Calendar>
        }
        clocks={
          withTime && (
            <span className="flex items-center gap-2">
              <label htmlFor={clockId} className="grow">
                {t('dates:time')}
              </label>
              <ClockInput
                id={clockId}
                className="w-24!"
                value={clock}
                onChange={(text) => {
                  setProblem(null);
                  setClock(text);
                }}
                onKeyDown={(event) => {
                  if (event.key === 'Enter') apply();
                }}
              />
            </span>
          )
        }
        zoneAt={withTime ? (day === null ? opened : instantOf(day.toString())) : undefined}
        problem={problem}
        onApply={withTime ? apply : undefined}
        onCancel={onClose}
      />
    </DatePopover>
  );
}
