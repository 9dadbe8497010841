import { useNavigate, useSearch } from '@tanstack/react-router';
import { useId } from 'react';
import { useT } from '#/lib/i18n';
import { cleanQuery } from '#/lib/http/query-string';
import { toLocalInput } from '#/lib/time';
import { DateTimeInput, parseTyped } from '#/ui/date-time';
import { MenuButton } from '#/ui/menu';
import { CalendarRange } from 'lucide-react';

type Address = Readonly<Record<string, string>>;

/** Shortcuts of the specification, in days. */
const SHORTCUTS = [1, 7, 30, 90] as const;
const DAY_MS = 86_400_000;

/** A range begins and ends so, unless another time is chosen (specification, section 9). */
const START = { hours: 0, minutes: 0, seconds: 1 } as const;
const END = { hours: 23, minutes: 59, seconds: 59 } as const;
const clock = ({ hours, minutes }: typeof START | typeof END): string =>
  [hours, minutes].map((part) => String(part).padStart(2, '0')).join(':');

function at(day: Date, time: typeof START | typeof END): Date {
  const date = new Date(day);
  date.setHours(time.hours, time.minutes, time.seconds, 0);
  return date;
}

const startOfRange = (days: number): Date => at(new Date(Date.now() - days * DAY_MS), START);
const endOfToday = (): Date => at(new Date(), END);

/** The field knows minutes; in the first and last minute of a day the seconds are those of the default. */
function chosen(text: string, time: typeof START | typeof END): Date | null {
  const typed = parseTyped(text);
  if (typed === null) return null;
  return typed.endsWith(clock(time)) ? at(new Date(typed), time) : new Date(typed);
}

export interface DateRangeState {
  readonly isOn: boolean;
  readonly from: Date;
  readonly to: Date;
  readonly query: { readonly date_from?: string; readonly date_to?: string };
  readonly change: (from: Date, to: Date) => void;
}

/** Range from the address (`date_start`, `date_end`), else the last days until the end of today. */
export function rangeOf(days: number, address: Address): { readonly from: Date; readonly to: Date } {
  const parsed = (key: string, fallback: Date): Date => {
    const date = new Date(address[key] ?? Number.NaN);
    return Number.isNaN(date.getTime()) ? fallback : date;
  };
  return { from: parsed('date_start', startOfRange(days)), to: parsed('date_end', endOfToday()) };
}

/** The condition of a range; none for a list without one. */
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

export function DateRange({ range }: { readonly range: DateRangeState }) {
  const t = useT();
  const id = useId();
  const set = (date: Date | null, from: boolean) => {
    if (date) range.change(from ? date : range.from, from ? range.to : date);
  };
  return (
    // On a phone the two fields stand one above the other, and the shortcuts beside them.
    <div className="flex items-center gap-1 max-sm:w-full">
      <div className="flex items-center gap-1 max-sm:min-w-0 max-sm:grow max-sm:flex-col max-sm:items-stretch">
        <label htmlFor={`${id}-from`} className="sr-only">
          {t('resource:dates.from')}
        </label>
        <DateTimeInput
          id={`${id}-from`}
          value={toLocalInput(range.from)}
          dayTime={clock(START)}
          onChange={(text) => set(chosen(text, START), true)}
        />
        <span className="max-sm:hidden" aria-hidden>
          –
        </span>
        <label htmlFor={`${id}-to`} className="sr-only">
          {t('resource:dates.to')}
        </label>
        <DateTimeInput
          id={`${id}-to`}
          value={toLocalInput(range.to)}
          dayTime={clock(END)}
          onChange={(text) => set(chosen(text, END), false)}
        />
      </div>
      <MenuButton
        label={t('resource:dates.shortcuts')}
        iconOnly
        entries={SHORTCUTS.map((days) => ({
          id: String(days),
          label: t('resource:dates.last', { count: days }),
          run: () =>
            range.change(days === 1 ? new Date(Date.now() - DAY_MS) : startOfRange(days), endOfToday()),
        }))}
      >
        <CalendarRange aria-hidden />
      </MenuButton>
    </div>
  );
}
