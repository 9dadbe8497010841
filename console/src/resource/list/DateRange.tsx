import { useNavigate, useSearch } from '@tanstack/react-router';
import { useT } from '#/lib/i18n';
import { cleanQuery } from '#/lib/http/query-string';
import { daysFrom, type SpanShortcut } from '#/ui/dates/shortcuts';
import { SpanInput } from '#/ui/dates/SpanInput';
import { fieldValue, instantOf } from '#/ui/dates/typed';

type Address = Readonly<Record<string, string>>;

/** Shortcuts of the specification, in days, besides the last 24 hours. */
const SHORTCUT_DAYS = [7, 30, 90] as const;

/** Default times of the first and last day of a range (specification, section 9). */
const START = { hours: 0, minutes: 0, seconds: 1 } as const;
const END = { hours: 23, minutes: 59, seconds: 59 } as const;
const clock = ({ hours, minutes }: typeof START | typeof END): string =>
  [hours, minutes].map((part) => String(part).padStart(2, '0')).join(':');

function at(day: Date, time: typeof START | typeof END): Date {
  const date = new Date(day);
  date.setHours(time.hours, time.minutes, time.seconds, 0);
  return date;
}

const startOfRange = (days: number): Date => at(daysFrom(new Date(), -days), START);
const endOfToday = (): Date => at(new Date(), END);

/**
 * The fields show minutes: an unchanged end keeps its seconds, and the first and last minute of a day get those of the
 * default.
 */
function instant(typed: string, before: Date, time: typeof START | typeof END): Date {
  if (typed === fieldValue(before, 'datetime')) return before;
  const date = instantOf(typed);
  return typed.endsWith(clock(time)) ? at(date, time) : date;
}

export interface DateRangeState {
  readonly isOn: boolean;
  readonly from: Date;
  readonly to: Date;
  readonly query: { readonly date_from?: string; readonly date_to?: string };
  readonly change: (from: Date, to: Date) => void;
}

/** Range from the address (`date_start`, `date_end`); default: the last days until the end of today. */
export function rangeOf(days: number, address: Address): { readonly from: Date; readonly to: Date } {
  const parsed = (key: string, fallback: Date): Date => {
    const date = new Date(address[key] ?? Number.NaN);
    return Number.isNaN(date.getTime()) ? fallback : date;
  };
  return { from: parsed('date_start', startOfRange(days)), to: parsed('date_end', endOfToday()) };
}

/** Query conditions of a range; none for a list without a range. */
export function rangeQuery(days: number | undefined, address: Address): DateRangeState['query'] {
  if (days === undefined) return {};
  const { from, to } = rangeOf(days, address);
  return { date_from: from.toISOString(), date_to: to.toISOString() };
}

export function useDateRange(days: number | undefined): DateRangeState {
  const address: Address = useSearch({ strict: false });
  const navigate = useNavigate();
  return {
    isOn: days !== undefined,
    ...rangeOf(days ?? 0, address),
    query: rangeQuery(days, address),
    change: (nextFrom, nextTo) => {
      void navigate({
        to: '.',
        search: (old: Address) =>
          cleanQuery({
            ...old,
            date_start: nextFrom.toISOString(),
            date_end: nextTo.toISOString(),
            page: undefined,
          }),
        replace: true,
      });
    },
  };
}

/** The longest shortcut. */
export const WIDEST_DAYS = 90;

export function isWidest({ from }: DateRangeState): boolean {
  return from <= startOfRange(WIDEST_DAYS);
}

export function lookBack(range: DateRangeState): void {
  range.change(startOfRange(WIDEST_DAYS), endOfToday());
}

/** Shortcuts of the specification, and today. */
const SHORTCUTS: readonly SpanShortcut[] = [
  { label: 'resource:dates.today', span: () => ({ from: startOfRange(0), to: endOfToday() }) },
  {
    label: 'resource:dates.last',
    values: { count: 1 },
    span: () => ({ from: daysFrom(new Date(), -1), to: endOfToday() }),
  },
  ...SHORTCUT_DAYS.map((days) => ({
    label: 'resource:dates.last',
    values: { count: days },
    span: () => ({ from: startOfRange(days), to: endOfToday() }),
  })),
];

export function DateRange({ range }: { readonly range: DateRangeState }) {
  const t = useT();
  const { from, to, change } = range;
  return (
    <SpanInput
      span={{ from, to }}
      label={t('resource:dates.shortcuts')}
      labels={{ from: t('resource:dates.from'), to: t('resource:dates.to') }}
      times={{ from: clock(START), to: clock(END) }}
      shortcuts={SHORTCUTS}
      onTyped={(typed) => change(instant(typed.from, from, START), instant(typed.to, to, END))}
      onSpan={(span) => change(span.from, span.to)}
    />
  );
}
