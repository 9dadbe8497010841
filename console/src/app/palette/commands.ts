import type { Icon } from '#/ui/icon';

export type GroupId = 'recent' | 'objects' | 'actions' | 'screens' | 'organizations';

/** One line of the palette. */
export interface Command {
  readonly id: string;
  readonly group: GroupId;
  readonly label: string;
  /** Secondary text: where the target is, or what it is. */
  readonly detail?: string;
  readonly icon: Icon;
  /** Further words that the search matches. */
  readonly words?: string;
  readonly shortcut?: string;
  /** Path to navigate to. Without a path, `run` is called. */
  readonly to?: string;
  readonly run?: () => void;
}

/** Scope set by the first character: `>` actions, `@` people, `/` screens. */
export type Scope = 'all' | 'actions' | 'users' | 'screens';

const SIGNS: Readonly<Record<string, Scope>> = { '>': 'actions', '@': 'users', '/': 'screens' };

export function readInput(text: string): { readonly scope: Scope; readonly words: string } {
  const trimmed = text.trimStart();
  const scope = SIGNS[trimmed[0] ?? ''];
  return scope ? { scope, words: trimmed.slice(1).trim() } : { scope: 'all', words: trimmed.trim() };
}

const WORD_START = 2;
const INSIDE = 1;
const WHOLE = 1;

/**
 * How well `text` matches every word of the query; 0 when a word is missing. Matches at the beginning of a word score
 * higher, and so does the whole query in one piece.
 */
export function score(text: string, query: string): number {
  const lower = text.toLowerCase();
  let sum = 0;
  for (const word of query.toLowerCase().split(/\s+/).filter(Boolean)) {
    const at = lower.indexOf(word);
    if (at < 0) return 0;
    const isStart = at === 0 || /[\s\-_./(（]/.test(lower[at - 1] ?? '');
    sum += isStart ? WORD_START : INSIDE;
  }
  // “login log”: “Login ACLs” has both words at the same place.
  const whole = query.trim().toLowerCase();
  return /\s/.test(whole) && lower.includes(whole) ? sum + WHOLE : sum;
}

/** The commands that match the words, best first; all of them without words. */
export function matching(commands: readonly Command[], words: string, limit: number): Command[] {
  if (words === '') return commands.slice(0, limit);
  return commands
    .map((command) => ({
      command,
      points: Math.max(
        score(command.label, words) * 2,
        score(`${command.label} ${command.words ?? ''}`, words),
      ),
    }))
    .filter(({ points }) => points > 0)
    .sort((a, b) => b.points - a.points)
    .slice(0, limit)
    .map(({ command }) => command);
}

/** The label, split into segments; the segments that match the words are marked. */
export function marked(
  label: string,
  words: string,
): { readonly text: string; readonly hit: boolean; readonly at: number }[] {
  const patterns = words
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  if (patterns.length === 0) return [{ text: label, hit: false, at: 0 }];
  return label
    .split(new RegExp(`(${patterns.join('|')})`, 'i'))
    .map((text, at) => ({ text, hit: at % 2 === 1, at }))
    .filter(({ text }) => text !== '');
}
