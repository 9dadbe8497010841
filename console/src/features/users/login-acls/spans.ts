import { currentLanguage } from '#/lib/i18n';

/** A span of time on some days of the week; Monday is 1. */
export interface Span {
  readonly days: readonly number[];
  readonly start: string;
  readonly end: string;
}

export const DAYS = [1, 2, 3, 4, 5, 6, 7] as const;
const WORKING: Span = { days: [1, 2, 3, 4, 5], start: '08:00', end: '18:00' };

export function newSpan(): Span {
  return WORKING;
}

/** `Mon`, in the language of the console. */
export function dayName(day: number, length: 'short' | 'long' = 'short'): string {
  // The first of January 2024 was a Monday.
  return new Intl.DateTimeFormat(currentLanguage(), { weekday: length, timeZone: 'UTC' }).format(
    new Date(Date.UTC(2024, 0, day)),
  );
}

function daysInWords(days: readonly number[]): string {
  const runs: number[][] = [];
  for (const day of [...days].sort((left, right) => left - right)) {
    const last = runs.at(-1);
    if (last && last.at(-1) === day - 1) last.push(day);
    else runs.push([day]);
  }
  return runs
    .flatMap((run) =>
      run.length > 2
        ? [`${dayName(run[0] ?? 1)}–${dayName(run.at(-1) ?? 1)}`]
        : run.map((day) => dayName(day)),
    )
    .join(', ');
}

/** `Mon–Fri 08:00–18:00`. */
export function spanInWords({ days, start, end }: Span): string {
  return `${daysInWords(days)} ${start}–${end}`;
}
