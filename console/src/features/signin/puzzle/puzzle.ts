/**
 * Work that the server wants to see done: find the number below `most` whose key is `key`. The key of a number is
 * PBKDF2-HMAC-SHA256 of its decimal digits with `salt` and `rounds`. `salt` and `key` are hexadecimal.
 */
export interface Puzzle {
  readonly token: string;
  readonly salt: string;
  readonly key: string;
  readonly rounds: number;
  readonly most: number;
}

export interface Solution {
  readonly token: string;
  readonly number: number;
}

/** Why no puzzle was solved; the message is in the person's language. */
export class PuzzleProblem extends Error {}
