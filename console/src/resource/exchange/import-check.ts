import {
  editRow,
  type Forecast,
  type ImportColumn,
  type ImportRow,
  type NamedObject,
  type Remedy,
  type RowProblem,
  withTarget,
  withValues,
} from './import-row';
import type { ImportRun } from './import-run';

/** Values that no second row may have; `value` is a digest. */
export interface UniqueValue {
  readonly fields: readonly string[];
  readonly value: string;
}

/** What the server says about one row. */
export interface Verdict {
  readonly problems: readonly RowProblem[];
  readonly remedies: readonly Remedy[];
  readonly takenBy: NamedObject | null;
  /** Absent when the row cannot be imported. */
  readonly forecast: Forecast | null;
  readonly unique: readonly UniqueValue[];
}

/** Rows of the first request, and limits; between them the number follows the server's speed. */
const FIRST_ROWS = 50;
const FEWEST_ROWS = 10;
const MOST_ROWS = 500;
/** A request takes about this long: short enough for a progress that moves, long enough for few requests. */
const TARGET_MS = 1_000;

export interface CheckOptions {
  /** Checks rows of one kind. `halted`: why no row can be checked now. */
  readonly check: (
    rows: readonly ImportRow[],
  ) => Promise<{ readonly verdicts: readonly Verdict[] } | { readonly halted: string }>;
  /** Rows of the same kind can be checked by one request; a text means that the row cannot be imported. */
  readonly kindOf: (row: ImportRow) => 'create' | 'update' | RowProblem;
  /** Error of a row that has the same unique value as an earlier row of the file. */
  readonly repeated: (column: string, row: number) => string;
  readonly columns: readonly ImportColumn[];
  readonly now?: () => number;
}

export interface CheckSnapshot {
  readonly state: 'running' | 'done' | 'halted';
  readonly checked: number;
  readonly total: number;
  /** Why the check stopped by itself. */
  readonly halted: string | null;
}

/**
 * The check before the import: has the server try all rows in chunks, without writing. A changed row is checked again
 * at once, before the rest. Rows of the file with the same unique value are found here, because the server tries each
 * row as if it were the only one.
 */
export class ImportCheck {
  readonly #run: ImportRun;
  readonly #options: CheckOptions;
  readonly #now: () => number;
  /** Indexes of the rows to be checked; changed rows come first. */
  #waiting: number[];
  readonly #verdicts = new Map<number, Verdict>();
  readonly #owners = new Map<string, Set<number>>();
  readonly #listeners = new Set<() => void>();
  #size = FIRST_ROWS;
  #halted: string | null = null;
  #loop: Promise<void> | null = null;
  #stopped = false;
  #snapshot: CheckSnapshot;

  constructor(run: ImportRun, options: CheckOptions) {
    this.#run = run;
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#waiting = [...run.snapshot().rows.keys()];
    this.#snapshot = this.#take();
  }

  /** For `useSyncExternalStore`. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): CheckSnapshot => this.#snapshot;

  /** Starts the check, or continues it after it halted. Resolves when all rows are checked, or when it halts. */
  start(): Promise<void> {
    this.#halted = null;
    if (!this.#stopped) this.#loop ??= this.#work();
    return this.#loop ?? Promise.resolve();
  }

  async #work(): Promise<void> {
    // Lets `start` store the promise first, even when no row waits.
    await Promise.resolve();
    try {
      while (this.#waiting.length > 0 && this.#halted === null && !this.#stopped) await this.#next();
    } finally {
      this.#loop = null;
      this.#changed();
    }
  }

  /** Ends the check: the import begins, or the wizard is closed. */
  stop(): void {
    this.#stopped = true;
  }

  edit(index: number, field: string, text: string): void {
    this.#change([index], (row) => editRow(row, field, text));
  }

  /** Accepts the corrections that are offered for these rows. */
  accept(indexes: Iterable<number>): void {
    this.#change(indexes, (row) => {
      if (!isCorrectable(row)) return row;
      if (row.remedies.length === 0 && row.takenBy) return withTarget(row, row.takenBy);
      const values = { ...row.values };
      for (const { field, value } of row.remedies) values[field] = value;
      return withValues(row, values);
    });
  }

  #change(indexes: Iterable<number>, change: (row: ImportRow) => ImportRow): void {
    const changed: number[] = [];
    this.#run.change(indexes, (row, index) => {
      const next = change(row);
      if (next !== row) changed.push(index);
      return next;
    });
    if (changed.length === 0) return;
    const again = new Set(changed);
    this.#waiting = [...changed, ...this.#waiting.filter((index) => !again.has(index))];
    for (const index of changed) this.#forget(index);
    this.#changed();
    void this.start();
  }

  async #next(): Promise<void> {
    const rows = this.#run.snapshot().rows;
    const chunk: number[] = [];
    let kind: string | null = null;
    const later: number[] = [];
    const unfit: number[] = [];
    for (const [place, index] of this.#waiting.entries()) {
      const row = rows[index];
      const own = row && this.#options.kindOf(row);
      if (!own) continue;
      if (typeof own !== 'string') {
        this.#note(index, refused(own));
        unfit.push(index);
      } else if (kind === null || own === kind) {
        kind = own;
        chunk.push(index);
      } else later.push(index);
      if (chunk.length >= this.#size) {
        later.push(...this.#waiting.slice(place + 1));
        break;
      }
    }
    this.#waiting = later;
    this.#show(unfit);
    const asked = chunk.flatMap((index) => rows[index] ?? []);
    if (asked.length > 0) await this.#ask(chunk, asked);
    this.#changed();
  }

  async #ask(chunk: readonly number[], asked: readonly ImportRow[]): Promise<void> {
    const startedAt = this.#now();
    let answer: Awaited<ReturnType<CheckOptions['check']>>;
    try {
      answer = await this.#options.check(asked);
    } catch (error) {
      this.#waiting = [...chunk, ...this.#waiting];
      throw error;
    }
    if ('halted' in answer) {
      this.#halted = answer.halted;
      const waiting = new Set(this.#waiting);
      this.#waiting = [...chunk.filter((index) => !waiting.has(index)), ...this.#waiting];
      return;
    }
    const ms = Math.max(1, this.#now() - startedAt);
    const fitting = Math.round((asked.length * TARGET_MS) / ms);
    this.#size = Math.min(MOST_ROWS, this.#size * 2, Math.max(FEWEST_ROWS, fitting));
    this.#apply(chunk, asked, answer.verdicts);
  }

  /** Takes over the verdicts of rows that were not changed in the meantime, in one step for all of them. */
  #apply(chunk: readonly number[], asked: readonly ImportRow[], verdicts: readonly Verdict[]): void {
    const rows = this.#run.snapshot().rows;
    const touched = new Set<number>();
    chunk.forEach((index, place) => {
      const verdict = verdicts[place];
      if (!verdict || rows[index] !== asked[place]) return;
      this.#note(index, verdict);
      touched.add(index);
      for (const { value } of verdict.unique)
        for (const owner of this.#owners.get(value) ?? []) touched.add(owner);
    });
    this.#show(touched);
  }

  #note(index: number, verdict: Verdict): void {
    this.#verdicts.set(index, verdict);
    for (const { value } of verdict.unique) {
      const owners = this.#owners.get(value) ?? new Set<number>();
      owners.add(index);
      this.#owners.set(value, owners);
    }
  }

  /** Forgets what is known about a row; rows that repeated its values may be right now. */
  #forget(index: number): void {
    const verdict = this.#verdicts.get(index);
    if (!verdict) return;
    this.#verdicts.delete(index);
    const freed = new Set<number>();
    for (const { value } of verdict.unique) {
      const owners = this.#owners.get(value);
      owners?.delete(index);
      for (const owner of owners ?? []) freed.add(owner);
    }
    this.#show(freed);
  }

  /** Writes verdicts to their rows. Of rows with one unique value the first is right and the others repeat it. */
  #show(indexes: Iterable<number>): void {
    this.#run.change(indexes, (row, index) => {
      const verdict = this.#verdicts.get(index);
      if (!verdict) return row;
      const problems = [...verdict.problems, ...this.#repetitions(index, verdict)];
      return {
        ...row,
        state: problems.length > 0 ? 'error' : 'pending',
        problems,
        forecast: problems.length > 0 ? null : verdict.forecast,
        remedies: verdict.remedies,
        takenBy: verdict.takenBy,
      };
    });
  }

  #repetitions(index: number, verdict: Verdict): readonly RowProblem[] {
    const { columns, repeated } = this.#options;
    const rows = this.#run.snapshot().rows;
    const problems = new Map<string, RowProblem>();
    for (const { fields, value } of verdict.unique) {
      const first = Math.min(...(this.#owners.get(value) ?? [index]));
      if (first === index) continue;
      const column = columns.find(({ field }) => fields.includes(field));
      const field = column?.field ?? null;
      const label = column?.label ?? fields.join(', ');
      problems.set(String(field), { field, text: repeated(label, rows[first]?.number ?? first + 1) });
    }
    return [...problems.values()];
  }

  #take(): CheckSnapshot {
    const total = this.#run.snapshot().rows.length;
    return {
      state:
        this.#halted !== null
          ? 'halted'
          : this.#waiting.length > 0 || this.#loop !== null
            ? 'running'
            : 'done',
      checked: this.#verdicts.size,
      total,
      halted: this.#halted,
    };
  }

  #changed(): void {
    this.#snapshot = this.#take();
    for (const listener of this.#listeners) listener();
  }
}

function refused(problem: RowProblem): Verdict {
  return { problems: [problem], remedies: [], takenBy: null, forecast: null, unique: [] };
}

/** Whether each error of the row has one obvious correction. */
export function isCorrectable(row: ImportRow): boolean {
  if (row.state !== 'error') return false;
  const corrected = new Set(row.remedies.map(({ field }) => field));
  if (row.remedies.length > 0)
    return row.problems.every(({ field }) => field !== null && corrected.has(field));
  return row.takenBy !== null;
}

export type CheckFilter = 'all' | 'wrong' | 'create' | 'update';

export interface CheckCounts {
  readonly create: number;
  readonly update: number;
  readonly wrong: number;
  readonly correctable: readonly number[];
}

/** Numbers of the rows by what the check found out, and the indexes of the rows with an obvious correction. */
export function checkCounts(rows: readonly ImportRow[]): CheckCounts {
  const counts = { create: 0, update: 0, wrong: 0 };
  const correctable: number[] = [];
  rows.forEach((row, index) => {
    if (row.state === 'error') counts.wrong += 1;
    else if (row.forecast) counts[row.forecast.outcome] += 1;
    if (isCorrectable(row)) correctable.push(index);
  });
  return { ...counts, correctable };
}

/** Whether a filter shows a row. Rows that were wrong and are changed stay among the wrong ones: nothing moves away. */
export function isShown(row: ImportRow, filter: CheckFilter): boolean {
  if (filter === 'all') return true;
  if (filter === 'wrong') return row.state === 'error' || row.requeued;
  return row.state !== 'error' && row.forecast?.outcome === filter;
}
