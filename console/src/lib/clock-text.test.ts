import { describe, expect, it } from 'vitest';
import { clockText, hasUnusableStart, startFromAddress } from './clock-text';

describe('places in a recording', () => {
  it.each([
    [0, '00:00'],
    [302_900, '05:02'],
    [3_600_000, '1:00:00'],
    [-5, '00:00'],
  ])('%i ms is %s', (ms, text) => expect(clockText(ms)).toBe(text));

  it.each([
    ['?t=302', 302_000],
    ['?t=1.5', 1500],
    ['?t=', null],
    ['?t=-3', null],
    ['?t=soon', null],
    ['?t=%20', null],
    ['?t=NaN', null],
    ['?t=1e30', null],
    ['?t=1e308', null],
    [`?t=1${'0'.repeat(400)}`, null],
    ['', null],
  ])('%s starts at %s', (search, ms) => expect(startFromAddress(search)).toBe(ms));

  it.each([
    ['?t=302', false],
    ['?t=', false],
    ['', false],
    ['?t=1e30', true],
    ['?t=NaN', true],
    ['?t=-3', true],
  ])('%s is unusable: %s', (search, isUnusable) => expect(hasUnusableStart(search)).toBe(isUnusable));
});
