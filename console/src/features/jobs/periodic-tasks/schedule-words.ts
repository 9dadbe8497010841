import { translate } from '#/lib/i18n';

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const;

// i18n: periodic-tasks:every.*
// i18n: periodic-tasks:every_many.*
/** The interval of a task in the largest unit without a fraction: `Every 6 hours`. */
export function scheduleWords(seconds: number): string {
  const [unit, size] = UNITS.find(([, size]) => seconds >= size && seconds % size === 0) ?? ['second', 1];
  const count = seconds / size;
  // Chinese has no singular form, and “every 1 day” is wrong in both languages.
  return count === 1
    ? translate(`periodic-tasks:every.${unit}`)
    : translate(`periodic-tasks:every_many.${unit}`, { amount: count });
}
