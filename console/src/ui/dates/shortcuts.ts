import { fieldValue } from './typed';

/** A value at one press. */
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

/** The same time of the day, that many days later, also across a change to summer time. */
export function daysFrom(start: Date, days: number): Date {
  const date = new Date(start);
  date.setDate(date.getDate() + days);
  return date;
}

function nextYear(): Date {
  const now = new Date();
  const date = new Date(now);
  date.setFullYear(now.getFullYear() + 1);
  // 29 February has no anniversary: the last day of the month takes its place.
  if (date.getMonth() !== now.getMonth()) date.setDate(0);
  return date;
}

/** When something is to end: in 30 days, 90 days, a year, or never. `noEnd` is the value that stands for never. */
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
