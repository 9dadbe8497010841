import { expect, test } from 'vitest';
import { fittingFont } from './fit-font';

test.each([
  ['a wide screen shrinks until its columns fit', 13, [200, 50], [100, 60], 6],
  ['a tall screen shrinks until its rows fit', 13, [80, 60], [100, 30], 6],
  ['a small screen grows', 13, [80, 24], [120, 40], 15],
  ['what fits already stays', 13, [80, 24], [80, 24], 13],
  ['nothing gets too small to read', 13, [500, 200], [40, 10], 6],
] as const)('%s', (_title, now, [columns, rows], [fitColumns, fitRows], wanted) => {
  expect(fittingFont(now, { columns, rows }, { columns: fitColumns, rows: fitRows })).toBe(wanted);
});
