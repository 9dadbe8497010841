import { http } from '#/lib/http/client';
import type { FormValues } from '#/resource/define';
import { textOf } from '#/resource/format';

export type Verdict = 'allow' | 'confirm' | 'deny';

/** The unsaved rule in the form. `id`: the saved rule that it replaces. */
export interface Draft {
  readonly id?: string;
  readonly type: string;
  readonly content: string;
  readonly priority: number;
  readonly action: number;
}

/** The rule that decided; its id is `draft` for a rule that was never saved. */
export interface Deciding {
  readonly id: string;
  readonly title: string;
  readonly priority: number;
  readonly line_number: number | null;
}

export interface JudgedLine {
  readonly line: string;
  readonly action: Verdict;
  readonly rule: Deciding | null;
  readonly matched: string;
  readonly reason_text: string;
  readonly is_open: boolean;
  readonly commands: readonly {
    readonly text: string;
    readonly action: Verdict;
    readonly rule: Deciding | null;
  }[];
}

interface JudgedLines {
  readonly lines: readonly JudgedLine[];
  readonly complete: boolean;
}

export interface PastCommand {
  readonly id: string;
  readonly session: string;
  readonly input: string;
  readonly user: string;
  readonly asset: string;
  readonly at: string;
  readonly action: Verdict;
}

interface PastPage {
  readonly since: string;
  readonly next: string;
  readonly judged: number;
  readonly confirmed: number;
  readonly denied: number;
  readonly users: readonly string[];
  readonly examples: readonly PastCommand[];
}

/** What rules would have done with past commands, over all pages so far. `next`: "" when all were looked at. */
export interface Past {
  readonly judged: number;
  readonly confirmed: number;
  readonly denied: number;
  readonly users: ReadonlySet<string>;
  readonly examples: readonly PastCommand[];
  readonly next: string;
}

export const NO_PAST: Past = {
  judged: 0,
  confirmed: 0,
  denied: 0,
  users: new Set(),
  examples: [],
  next: '',
};

/** Maximum number of stored examples; the counts include all. */
const MAX_EXAMPLES = 50;

/** The rule in a form; undefined while it has no content. */
export function draftOf(values: FormValues, id: string | undefined): Draft | undefined {
  const content = textOf(values['content']);
  const priority = Number(values['priority']);
  if (content.trim() === '' || !Number.isInteger(priority) || priority < 1 || priority > 100)
    return undefined;
  return {
    ...(id === undefined ? {} : { id }),
    type: textOf(values['type']) || 'command',
    content,
    priority,
    action: Number(values['action'] ?? 0),
  };
}

/** What the rules of a filter say about lines, with a rule that is not saved yet. */
export function tryLine(
  filterId: string,
  line: string,
  draft: Draft | undefined,
  signal: AbortSignal,
): Promise<JudgedLines> {
  const body = draft ? { line, rule: draft } : { line };
  return http.post<JudgedLines>(`assets/cmd-filters/${filterId}/try-line/`, body, { quiet: true, signal });
}

/** Adds the next page of past commands, newest first, to what was looked at so far. */
export async function lookBack(filterId: string, draft: Draft | undefined, soFar: Past): Promise<Past> {
  const body = { ...(draft ? { rule: draft } : {}), ...(soFar.next ? { before: soFar.next } : {}) };
  const page = await http.post<PastPage>(`assets/cmd-filters/${filterId}/recent-commands/`, body, {
    quiet: true,
  });
  return {
    judged: soFar.judged + page.judged,
    confirmed: soFar.confirmed + page.confirmed,
    denied: soFar.denied + page.denied,
    users: new Set([...soFar.users, ...page.users]),
    examples: [...soFar.examples, ...page.examples].slice(0, MAX_EXAMPLES),
    next: page.next,
  };
}
