import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';

const css = readFileSync('src/ui/tokens.css', 'utf8');
const [light = '', dark = ''] = css.split('\n[data-theme="dark"] {');

function colours(text: string): Map<string, string> {
  return new Map(
    [...text.matchAll(/--([\w-]+): (#[0-9A-F]{6});/gi)].map((match) => [match[1] ?? '', match[2] ?? '']),
  );
}

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a: string, b: string): number {
  const [high = 0, low = 0] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (high + 0.05) / (low + 0.05);
}

/** The colour pairs and required contrasts that the head of tokens.css lists. */
const PAIRS = [...css.matchAll(/^ {3}([\w-]+) on ([\w-]+) +(4\.5|3) /gm)].map((match) => ({
  front: match[1] ?? '',
  back: match[2] ?? '',
  need: Number(match[3]),
}));

describe.each([
  ['light', colours(light)],
  ['dark', new Map([...colours(light), ...colours(dark)])],
])('contrast, %s', (_, palette) => {
  test('the head of the file lists the pairs', () => {
    expect(PAIRS.length).toBeGreaterThan(40);
  });

  test.each(PAIRS)('$front on $back is at least $need', ({ front, back, need }) => {
    const a = palette.get(front);
    const b = palette.get(back);
    if (!a || !b) throw new Error(`${front} or ${back} is no token`);
    expect(contrast(a, b)).toBeGreaterThanOrEqual(need);
  });
});
