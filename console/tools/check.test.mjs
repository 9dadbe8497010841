import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { failedParts, PARTS } from './check.mjs';

/** Runs parts whose command is their exit status; gives what failed and what ran. */
function outcome(parts) {
  const ran = [];
  const failed = failedParts(parts, ([status]) => {
    ran.push(status);
    return status;
  });
  return { failed, ran };
}

test('every part runs after one that fails, and all failures are named', () => {
  const parts = [
    { name: 'format', argv: [1] },
    { name: 'lint', argv: [0] },
    { name: 'types', argv: [2] },
  ];
  expect(outcome(parts)).toEqual({ failed: ['format', 'types'], ran: [1, 0, 2] });
});

test('a part that needs another one is not run after its failure, and counts as failed', () => {
  const parts = [
    { name: 'build', argv: [1] },
    { name: 'budgets', argv: [0], after: 'build' },
    { name: 'lock', argv: [0] },
  ];
  expect(outcome(parts)).toEqual({ failed: ['build', 'budgets (not run: build failed)'], ran: [1, 0] });
});

test('nothing fails when every part passes', () => {
  expect(outcome([{ name: 'lint', argv: [0] }]).failed).toEqual([]);
});

test('the check has all its parts, and `npm run check` runs it', () => {
  expect(PARTS.map(({ name }) => name)).toEqual([
    'format',
    'lint',
    'types',
    'texts',
    'layers',
    'components',
    'lock',
    'build',
    'budgets',
  ]);
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'));
  expect(scripts.check).toBe('node tools/check.mjs');
});
