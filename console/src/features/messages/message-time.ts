import { currentLocale } from '#/lib/i18n';
import { minuteStamp } from '#/lib/time';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** Messages older than this many days show their date (specification, section 9). */
export const RELATIVE_MS = 7 * DAY_MS;

/** `5 minutes ago`, `yesterday`; the date for messages older than seven days. */
export function messageTime(date: Date, now: Date = new Date()): string {
  const age = now.getTime() - date.getTime();
  if (age > RELATIVE_MS) return minuteStamp(date);
  const words = new Intl.RelativeTimeFormat(currentLocale(), { numeric: 'auto' });
  // A space separates numbers from Chinese words; the browser's texts leave it out.
  const relative = (amount: number, unit: Intl.RelativeTimeFormatUnit) =>
    words.format(amount, unit).replace(/(\d)(\p{sc=Han})/u, '$1 $2');
  // If the server's clock is slightly ahead, the difference must not appear as a time in the future.
  const past = Math.max(0, age);
  if (past < MINUTE_MS) return relative(0, 'second');
  if (past < HOUR_MS) return relative(-Math.floor(past / MINUTE_MS), 'minute');
  if (past < DAY_MS) return relative(-Math.floor(past / HOUR_MS), 'hour');
  return relative(-Math.floor(past / DAY_MS), 'day');
}
