import type { Icon } from '#/ui/icon';

export type GroupId = 'recent' | 'objects' | 'actions' | 'screens' | 'organizations';

/** One line of the palette. */
export interface Command {
  readonly id: string;
  readonly group: GroupId;
  readonly label: string;
  /** Where it is or what it is, in quieter letters. */
  readonly detail?: string;
  readonly icon: Icon;
  /** Further words under which it is found. */
  readonly words?: string;
  readonly shortcut?: string;
  /** Goes to this address; otherwise `run`. */
  readonly to?: string;
  readonly run?: () => void;
}

/** What the first sign limits the search to: `>` actions, `@` people, `/` screens. */
export type Scope = 'all' | 'actions' | 'users' | 'screens';

const SIGNS: Readonly<Record<string, Scope>> = { '>': 'actions', '@': 'users', '/': 'screens' };

export function readInput(text: string): { readonly scope: Scope; readonly words: string } {
  const trimmed = text.trimStart();
  const scope = SIGNS[trimmed[0] ?? ''];
  return scope ? { scope, words: trimmed.slice(1).trim() } : { scope: 'all', words: trimmed.trim() };
}

const WORD_START = 2;
const INSIDE = 1;

/** How well `text` holds every word of the query; 0: not at all. Beginnings of words count more. */
export function score(text: string, query: string): number {
  const lower = text.toLowerCase();
  let sum = 0;
  for (const word of query.toLowerCase().split(/\s+/).filter(Boolean)) {
    const at = lower.indexOf(word);
    if (at < 0) return 0;
    const isStart = at === 0 || /[\s\-_./(（]/.test(lower[at - 1] ?? '');
    sum += isStart ? WORD_START : INSIDE;
  }
  return sum;
}

/** The commands that the words find, best first; all of them when there are no words. */
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

/** The parts of a label, those that the words found marked. */
export function marked(
  label: string,
  words: string,
): { readonly text: string; readonly hit: boolean; readonly at: number }[] {
  const found = words
    .split(/\s+/)
    .filter(Boolean)
    .map((word) => word.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  if (found.length === 0) return [{ text: label, hit: false, at: 0 }];
  return label
    .split(new RegExp(`(${found.join('|')})`, 'i'))
    .map((text, at) => ({ text, hit: at % 2 === 1, at }))
    .filter(({ text }) => text !== '');
}
