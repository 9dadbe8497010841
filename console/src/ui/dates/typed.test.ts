import { expect, test, vi } from 'vitest';
import { readClock, stepClock } from './ClockInput';
import { expiryShortcuts } from './shortcuts';
import { readSpan } from './span';
import { fieldValue, readTyped } from './typed';

test.each([
  ['2026-11-20 15:45', '2026-11-20T15:45'],
  ['2026-1-5', '2026-01-05T00:00'],
  [' 2026/1/5 9:30 ', '2026-01-05T09:30'],
  ['2028-02-29 23:59', '2028-02-29T23:59'],
])('the typed date %s is parsed as %s', (typed, value) => {
  expect(readTyped(typed)).toEqual({ value });
});

test.each([
  ['yesterday', 'ui:date.shape_datetime', {}],
  ['2026-13-01', 'ui:date.no_month', { month: '13' }],
  ['2026-02-29 10:00', 'ui:date.no_day', { month: '2026-02', day: '29', days: 28 }],
  ['2026-11-00', 'ui:date.no_day', { month: '2026-11', day: '00', days: 30 }],
  ['2026-11-20 24:00', 'ui:date.no_time', { time: '24:00' }],
  ['2026-11-20 10:60', 'ui:date.no_time', { time: '10:60' }],
])('the impossible date %s is refused with its reason', (typed, key, values) => {
  expect(readTyped(typed)).toEqual({ problem: { key, values } });
});

test('a day has no time', () => {
  expect(readTyped('2026-11-20', 'date')).toEqual({ value: '2026-11-20' });
  expect(readTyped('2026-11-20 10:00', 'date')).toEqual({
    problem: { key: 'ui:date.shape_date', values: {} },
  });
});

test('bounds are exact to the minute and inclusive', () => {
  const bounds = { min: new Date(2026, 10, 5, 9, 30, 40), max: new Date(2026, 10, 6, 12, 0) };
  expect(readTyped('2026-11-05 09:30', 'datetime', bounds)).toEqual({ value: '2026-11-05T09:30' });
  expect(readTyped('2026-11-05 09:29', 'datetime', bounds)).toEqual({
    problem: { key: 'ui:date.before', values: { limit: '2026-11-05 09:30' } },
  });
  expect(readTyped('2026-11-06 12:01', 'datetime', bounds)).toMatchObject({
    problem: { key: 'ui:date.after' },
  });
});

test('a span that ends before it begins is refused; a day without a time gets the default of its side', () => {
  const times = { from: '00:00', to: '23:59' };
  expect(readSpan({ from: '2026-11-03', to: '2026-11-03' }, times)).toEqual({
    value: { from: '2026-11-03T00:00', to: '2026-11-03T23:59' },
  });
  expect(readSpan({ from: '2026-11-04', to: '2026-11-03' }, times)).toEqual({
    problem: { key: 'ui:date.reversed', values: { from: '2026-11-04 00:00' } },
    wrong: 'to',
  });
  expect(readSpan({ from: '2026-11-31', to: '2026-12-03' }, times)).toMatchObject({ wrong: 'from' });
});

test.each([
  ['9', '09:00'],
  ['930', '09:30'],
  ['9:5', '09:05'],
  ['23:59', '23:59'],
  ['24:00', null],
  ['9:60', null],
  ['9:30:10', null],
  ['noon', null],
])('the typed time %s is parsed as %s', (typed, value) => {
  expect(readClock(typed)).toBe(value);
});

test('seconds are part of a time only where they are required', () => {
  expect(readClock('9:30:10', true)).toBe('09:30:10');
  expect(readClock('9:30', true)).toBe('09:30:00');
});

test('arrow keys change the hour or the minute at the caret and wrap around', () => {
  expect(stepClock('23:59', 0, 1)).toBe('00:59');
  expect(stepClock('23:59', 4, 1)).toBe('23:00');
  expect(stepClock('00:00', 1, -1)).toBe('23:00');
});

test('one year after 29 February is the last day of February', ({ onTestFinished }) => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(2028, 1, 29, 8, 0) });
  onTestFinished(() => void vi.useRealTimers());
  const values = expiryShortcuts(() => '').map((shortcut) => shortcut.value());
  expect(values).toEqual(['2028-03-30T08:00', '2028-05-29T08:00', '2029-02-28T08:00', '']);
  expect(fieldValue(new Date(2028, 1, 29), 'date')).toBe('2028-02-29');
});
