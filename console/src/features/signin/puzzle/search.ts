import type { Puzzle } from './puzzle';

/** The PBKDF2-HMAC-SHA256 key of a password, of so many bytes. */
export type Derive = (
  password: Uint8Array<ArrayBuffer>,
  salt: Uint8Array<ArrayBuffer>,
  rounds: number,
  bytes: number,
) => Promise<Uint8Array>;

/** The browser's own code: as fast as a program, but missing on pages over plain http. */
export const deriveNatively: Derive = async (password, salt, rounds, bytes) => {
  const key = await crypto.subtle.importKey('raw', password, 'PBKDF2', false, ['deriveBits']);
  const rules = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations: rounds };
  return new Uint8Array(await crypto.subtle.deriveBits(rules, key, bytes * 8));
};

/** The same in JavaScript, about fifteen times slower. */
export async function loadScriptedDerive(): Promise<Derive> {
  const [{ pbkdf2 }, { sha256 }] = await Promise.all([
    import('@noble/hashes/pbkdf2.js'),
    import('@noble/hashes/sha2.js'),
  ]);
  return async (password, salt, rounds, bytes) => pbkdf2(sha256, password, salt, { c: rounds, dkLen: bytes });
}

function bytesOf(hex: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

function isEqual(first: Uint8Array, second: Uint8Array): boolean {
  return first.length === second.length && first.every((byte, index) => byte === second[index]);
}

/** Tries `start`, `start + step` … ; null when none of these numbers solves the puzzle. */
export async function search(
  puzzle: Puzzle,
  start: number,
  step: number,
  derive: Derive,
): Promise<number | null> {
  const [salt, key, text] = [bytesOf(puzzle.salt), bytesOf(puzzle.key), new TextEncoder()];
  for (let number = start; number < puzzle.most; number += step) {
    const found = await derive(text.encode(String(number)), salt, puzzle.rounds, key.length);
    if (isEqual(found, key)) return number;
  }
  return null;
}
