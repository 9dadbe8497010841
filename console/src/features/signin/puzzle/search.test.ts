import { webcrypto } from 'node:crypto';
import { beforeEach, expect, test, vi } from 'vitest';
import type { Puzzle } from './puzzle';
import { deriveNatively, loadScriptedDerive, search } from './search';

// The same numbers are in the server's tests/unit/authn/puzzles/test_puzzle.py.
const SALT = '000102030405060708090a0b0c0d0e0f';
const KEY_OF_7 = '8fef4d695fbda326cec9462d23e4a649';
const KEY_OF_1234 = '2240ea2a22754a3c4610356ef8e4d7ac';
const DERIVES = [
  ['the browser’s code', async () => deriveNatively],
  ['the script', loadScriptedDerive],
] as const;

function puzzle(key: string, most = 3_000): Puzzle {
  return { token: 't', salt: SALT, key, rounds: 1_000, most };
}

beforeEach(() => void vi.stubGlobal('crypto', webcrypto));

test.each(DERIVES)('%s finds the number of the server', async (_name, load) => {
  const derive = await load();
  expect(await search(puzzle(KEY_OF_7), 0, 1, derive)).toBe(7);
  expect(await search(puzzle(KEY_OF_1234), 1_230, 1, derive)).toBe(1_234);
});

test('shares of several workers find it once', async () => {
  const shares = [0, 1, 2].map((start) => search(puzzle(KEY_OF_7, 12), start, 3, deriveNatively));
  expect(await Promise.all(shares)).toEqual([null, 7, null]);
});

test('a puzzle without a solution ends', async () => {
  expect(await search(puzzle('00'.repeat(16), 20), 0, 1, deriveNatively)).toBeNull();
});
