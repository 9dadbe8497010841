import { beforeAll, expect, test } from 'vitest';
import { startI18n } from './i18n';
import { friendlyDuration, friendlyTime, isEndless, minuteStamp, parseTime } from './time';

beforeAll(() => startI18n(['app'], 'en'));

test('the wire format and ISO 8601 are parsed, other text is not', () => {
  expect(parseTime('2021/08/25 16:00:00 +0800')?.toISOString()).toBe('2021-08-25T08:00:00.000Z');
  expect(parseTime('2021-08-25T08:00:00Z')?.toISOString()).toBe('2021-08-25T08:00:00.000Z');
  expect(parseTime(1_629_878_400)?.toISOString()).toBe('2021-08-25T08:00:00.000Z');
  expect(parseTime('soon')).toBeNull();
  expect(parseTime('')).toBeNull();
  expect(parseTime(null)).toBeNull();
});

test('an end decades ahead means no end', () => {
  const now = new Date(2026, 10, 22);
  expect(isEndless(new Date(2096, 10, 5), now)).toBe(true);
  expect(isEndless(new Date(2036, 10, 22), now)).toBe(false);
});

test('times are relative under an hour, then today with the time, then a date', () => {
  const now = new Date(2026, 10, 21, 15, 38);
  expect(friendlyTime(new Date(2026, 10, 21, 15, 37, 50), now)).toBe('just now');
  expect(friendlyTime(new Date(2026, 10, 21, 15, 8), now)).toBe('30 min ago');
  expect(friendlyTime(new Date(2026, 10, 21, 9, 5), now)).toBe('Today 09:05');
  expect(friendlyTime(new Date(2026, 10, 18, 22, 15), now)).toBe('2026-11-18 22:15');
  expect(minuteStamp(new Date(2026, 0, 2, 3, 4))).toBe('2026-01-02 03:04');
});

test('durations are shown in hours, minutes and seconds', () => {
  expect(friendlyDuration(12)).toBe('12 s');
  expect(friendlyDuration(240)).toBe('4 min');
  expect(friendlyDuration(3960)).toBe('1 h 06 min');
});
