export interface LinePart {
  readonly text: string;
  readonly isMatch: boolean;
  /** Position of the part in the line, in code points. */
  readonly from: number;
}

type Match = readonly [from: number, to: number];

/** The line in parts, matches apart. Positions count code points: an emoji is one, although a string has two units. */
export function partsOf(line: string, matches: readonly Match[]): readonly LinePart[] {
  const characters = Array.from(line);
  const parts: LinePart[] = [];
  let at = 0;
  const add = (to: number, isMatch: boolean): void => {
    const end = Math.min(to, characters.length);
    if (end > at) parts.push({ text: characters.slice(at, end).join(''), isMatch, from: at });
    at = Math.max(at, end);
  };
  for (const [from, to] of matches.toSorted(([left], [right]) => left - right)) {
    add(from, false);
    add(to, true);
  }
  add(characters.length, false);
  return parts;
}
