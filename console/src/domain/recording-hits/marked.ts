export interface LinePart {
  readonly text: string;
  readonly isMatch: boolean;
  /** Position of the part in the line, in code points. */
  readonly from: number;
}

type Match = readonly [from: number, to: number];

interface Marked {
  readonly line: string;
  readonly matches: readonly Match[];
}

/** Characters before the first match of a line that is shown in one row. */
const LEAD = 8;
/** A match this far from the beginning is visible without leaving anything out. */
const NEAR = 16;

/** The line without its beginning, if its first match would be cut off where one row is shown. */
export function beginningNearMatch({ line, matches }: Marked): Marked {
  const first = Math.min(...matches.map(([from]) => from));
  if (!Number.isFinite(first) || first <= NEAR) return { line, matches };
  const left = first - LEAD;
  return {
    line: `…${Array.from(line).slice(left).join('')}`,
    matches: matches.map(([from, to]) => [from - left + 1, to - left + 1] as const),
  };
}

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
