import { currentLocale, translate } from './i18n';

/** The wire format of date-times: `2021/08/25 16:00:00 +0800`. */
const WIRE = /^(\d{4})\/(\d{2})\/(\d{2}) (\d{2}):(\d{2}):(\d{2}) ([+-]\d{2}):?(\d{2})$/;

/** Parses the wire format and ISO 8601; null for empty and unreadable values. */
export function parseTime(text: unknown): Date | null {
  if (typeof text === 'number') return new Date(text * 1000);
  if (typeof text !== 'string' || text === '') return null;
  const match = WIRE.exec(text);
  const iso = match
    ? `${match[1]}-${match[2]}-${match[3]}T${match[4]}:${match[5]}:${match[6]}${match[7]}:${match[8]}`
    : text;
  const date = new Date(iso);
  return Number.isNaN(date.getTime()) ? null : date;
}

/** Forms and the server write "no end" as a date 70 or 100 years away. */
const NO_END_YEARS = 50;

/** Whether an end is so far ahead that it means "no end". */
export function isEndless(end: Date, now: Date = new Date()): boolean {
  return end.getFullYear() - now.getFullYear() >= NO_END_YEARS;
}

const two = (n: number): string => String(n).padStart(2, '0');

/** `2026-11-18 22:15`, in the browser's zone. */
export function minuteStamp(date: Date): string {
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

/** `2026-11-18 22:15:07`, in the browser's zone. */
export function exactStamp(date: Date): string {
  return `${minuteStamp(date)}:${two(date.getSeconds())}`;
}

const zoneNames = new Map<string, Intl.DateTimeFormat>();

/**
 * Cached, because creating a formatter costs more than using it a hundred times, and a list formats hundreds of times.
 */
function zoneNameFormat(locale: string): Intl.DateTimeFormat {
  const known = zoneNames.get(locale);
  if (known) return known;
  const made = new Intl.DateTimeFormat(locale, { timeZoneName: 'short' });
  zoneNames.set(locale, made);
  return made;
}

export function exactTime(date: Date): string {
  const zone = zoneNameFormat(currentLocale())
    .formatToParts(date)
    .find((part) => part.type === 'timeZoneName')?.value;
  return `${exactStamp(date)} ${zone ?? ''}`.trim();
}

/** Relative under one hour, then "today 15:38", then the date. */
export function friendlyTime(date: Date, now: Date = new Date()): string {
  const minutes = Math.round((now.getTime() - date.getTime()) / 60_000);
  if (minutes >= 0 && minutes < 1) return translate('app:time.now');
  if (minutes >= 1 && minutes < 60) return translate('app:time.minutes_ago', { count: minutes });
  if (date.toDateString() === now.toDateString()) {
    return translate('app:time.today', { time: `${two(date.getHours())}:${two(date.getMinutes())}` });
  }
  return minuteStamp(date);
}

/** `4 min`, `1 h 06 min`, `12 s`. */
export function friendlyDuration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return translate('app:time.seconds', { count: whole });
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return translate('app:time.minutes', { count: minutes });
  const hours = Math.floor(minutes / 60);
  return translate('app:time.hours', { count: hours, minutes: two(minutes % 60) });
}

export function browserZone(): string {
  return Intl.DateTimeFormat().resolvedOptions().timeZone;
}
