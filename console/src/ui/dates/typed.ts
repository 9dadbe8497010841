/** A day, optionally with a time to the minute. */
export type DateKind = 'date' | 'datetime';

/** Why typed text is refused; `key` is a text of the namespace `ui`. */
export interface DateProblem {
  readonly key: string;
  readonly values: Readonly<Record<string, string | number>>;
}

export type Typed = { readonly value: string } | { readonly problem: DateProblem };

export interface DateBounds {
  readonly min?: Date;
  readonly max?: Date;
}

const SHAPE = /^\s*(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[ T]+(\d{1,2})[:：](\d{2}))?\s*$/;
const LAST_MONTH = 12;
const LAST_HOUR = 23;
const LAST_MINUTE = 59;
const two = (part: string | number): string => String(part).padStart(2, '0');

const problem = (key: string, values: DateProblem['values'] = {}): Typed => ({ problem: { key, values } });

/** The value of a field: `2026-11-20`, or `2026-11-20T15:45`. */
export function fieldValue(date: Date, kind: DateKind): string {
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  return kind === 'date' ? day : `${day}T${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** The value in display format. */
export function written(value: string): string {
  return value.replace('T', ' ');
}

/** The instant of a value, in the browser's zone; a day begins at midnight. */
export function instantOf(value: string): Date {
  return new Date(value.includes('T') ? value : `${value}T00:00`);
}

function outOfBounds(value: string, kind: DateKind, { min, max }: DateBounds): Typed | null {
  // Compared as text to the minute, so that the bound itself is allowed.
  const earliest = min && fieldValue(min, kind);
  const latest = max && fieldValue(max, kind);
  if (earliest !== undefined && value < earliest)
    return problem('ui:date.before', { limit: written(earliest) });
  if (latest !== undefined && value > latest) return problem('ui:date.after', { limit: written(latest) });
  return null;
}

/**
 * Parses typed text: `2026-1-5 9:30` becomes `2026-01-05T09:30`. A day without a time gets `time`. Days and minutes
 * that do not exist are refused: 30 February, 24:00, and the hour that summer time skips.
 */
export function readTyped(
  text: string,
  kind: DateKind = 'datetime',
  { time = '00:00', ...bounds }: DateBounds & { readonly time?: string } = {},
): Typed {
  const match = SHAPE.exec(text);
  const [, year = '', month = '', day = '', hour, minute = ''] = match ?? [];
  if (!match || (kind === 'date' && hour !== undefined)) return problem(`ui:date.shape_${kind}`);
  if (Number(month) < 1 || Number(month) > LAST_MONTH) return problem('ui:date.no_month', { month });
  const days = new Date(Number(year), Number(month), 0).getDate();
  if (Number(day) < 1 || Number(day) > days)
    return problem('ui:date.no_day', { month: `${year}-${two(month)}`, days, day });
  const date = `${year}-${two(month)}-${two(day)}`;
  if (kind === 'date') return outOfBounds(date, kind, bounds) ?? { value: date };
  if (hour !== undefined && (Number(hour) > LAST_HOUR || Number(minute) > LAST_MINUTE))
    return problem('ui:date.no_time', { time: `${hour}:${minute}` });
  const clock = hour === undefined ? time : `${two(hour)}:${minute}`;
  const value = `${date}T${clock}`;
  if (fieldValue(new Date(value), kind) !== value)
    return problem('ui:date.skipped', { time: written(value) });
  return outOfBounds(value, kind, bounds) ?? { value };
}
