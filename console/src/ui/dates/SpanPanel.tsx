import type { CalendarDate } from '@internationalized/date';
import { type RefObject, useId, useState } from 'react';
import { RangeCalendar } from 'react-aria-components';
import { useT } from '#/lib/i18n';
import { ClockInput } from './ClockInput';
import { dayOf } from './DatePanel';
import { DatePopover } from './DatePopover';
import { MonthGrid } from './MonthGrid';
import { PanelFrame } from './PanelFrame';
import type { SpanShortcut } from './shortcuts';
import { instantOf } from './typed';
import { readSpan, type SpanChange, type TypedSpan } from './span';

interface Days {
  readonly start: CalendarDate;
  readonly end: CalendarDate;
}

export interface SpanPanelProps extends SpanChange {
  readonly label: string;
  readonly labels: { readonly from: string; readonly to: string };
  readonly value: TypedSpan;
  readonly shortcuts: readonly SpanShortcut[];
  readonly opener: RefObject<HTMLElement | null>;
  readonly onClose: () => void;
}

function daysOf({ from, to }: TypedSpan): Days | null {
  const start = dayOf(from);
  const end = dayOf(to);
  return start && end && start.compare(end) <= 0 ? { start, end } : null;
}

/** Calendar for a span of time: first day, last day, and the time on each of them. */
export function SpanPanel(props: SpanPanelProps) {
  const { label, labels, value, shortcuts, opener, onTyped, onSpan, onClose } = props;
  const t = useT();
  const id = useId();
  const [days, setDays] = useState(() => daysOf(value));
  const [clocks, setClocks] = useState({
    from: value.from.split('T')[1] ?? '',
    to: value.to.split('T')[1] ?? '',
  });
  const [opened] = useState(() => new Date());
  const [problem, setProblem] = useState<string | null>(null);
  const apply = () => {
    if (days === null) {
      setProblem(t('dates:choose_days'));
      return;
    }
    const span = readSpan({
      from: `${days.start.toString()} ${clocks.from}`,
      to: `${days.end.toString()} ${clocks.to}`,
    });
    if ('problem' in span) {
      setProblem(t(span.problem.key, span.problem.values));
      return;
    }
    onTyped(span.value);
    onClose();
  };
  return (
    <DatePopover label={label} opener={opener} onClose={onClose}>
      <PanelFrame
        shortcuts={shortcuts.map((shortcut) => ({
          ...shortcut,
          run: () => {
            onSpan(shortcut.span());
            onClose();
          },
        }))}
        calendar={
          <RangeCalendar
            className="pt-range"
            aria-label={label}
            // oxlint-disable-next-line jsx-a11y/no-autofocus -- a dialog opened by keyboard takes the focus
            autoFocus
            value={days}
            onChange={(chosen) => {
              setProblem(null);
              setDays(chosen);
            }}
          >
            <MonthGrid />
          </RangeCalendar>
        }
        clocks={(['from', 'to'] as const).map((side) => (
          <span key={side} className="flex items-center gap-2">
            <label htmlFor={`${id}-${side}`} className="grow">
              {labels[side]}
              {days && (
                <span className="ml-2 text-ink-3 tabular-nums">
                  {(side === 'from' ? days.start : days.end).toString()}
                </span>
              )}
            </label>
            <ClockInput
              id={`${id}-${side}`}
              className="w-24!"
              value={clocks[side]}
              onChange={(text) => {
                setProblem(null);
                setClocks({ ...clocks, [side]: text });
              }}
              onKeyDown={(event) => {
                if (event.key === 'Enter') apply();
              }}
            />
          </span>
        ))}
        zoneAt={days ? instantOf(days.start.toString()) : opened}
        problem={problem}
        onApply={apply}
        onCancel={onClose}
      />
    </DatePopover>
  );
}
