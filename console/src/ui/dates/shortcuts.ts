import { fieldValue } from './typed';

/** A value that one click sets. */
export interface DateShortcut {
  /** Key of a text. */
  readonly label: string;
  readonly values?: Readonly<Record<string, number>>;
  readonly value: () => string;
}

export interface DateSpan {
  readonly from: Date;
  readonly to: Date;
}

export interface SpanShortcut {
  readonly label: string;
  readonly values?: Readonly<Record<string, number>>;
  readonly span: () => DateSpan;
}

const EXPIRY_DAYS = [30, 90] as const;

/** The same time of day a number of days later, also across a change to summer time. */
export function daysFrom(start: Date, days: number): Date {
  const date = new Date(start);
  date.setDate(date.getDate() + days);
  return date;
}

function nextYear(): Date {
  const now = new Date();
  const date = new Date(now);
  date.setFullYear(now.getFullYear() + 1);
  // 29 February has no anniversary in most years: the last day of the month replaces it.
  if (date.getMonth() !== now.getMonth()) date.setDate(0);
  return date;
}

/** End dates: in 30 days, 90 days, a year, or never. `noEnd` is the value that means never. */
export function expiryShortcuts(noEnd: () => string): readonly DateShortcut[] {
  return [
    ...EXPIRY_DAYS.map((days) => ({
      label: 'dates:in_days',
      values: { count: days },
      value: () => fieldValue(daysFrom(new Date(), days), 'datetime'),
    })),
    { label: 'dates:in_a_year', value: () => fieldValue(nextYear(), 'datetime') },
    { label: 'dates:no_end', value: noEnd },
  ];
}
