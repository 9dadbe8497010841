import { editRow, type ImportRow, type RowProblem } from './import-row';

export type TaskState = 'pending' | 'started' | 'stopped' | 'done';

export const IMPORT_PAGE_SIZE = 10;
export const IMPORT_PAUSE_MS = 100;

/** What saving a row led to. `unknown`: nobody can say whether it was saved, so the run stops and the row stays pending. */
export type Saved =
  | { readonly outcome: 'ok'; readonly id: string | number | null }
  | { readonly outcome: 'error'; readonly problems: readonly RowProblem[] }
  | { readonly outcome: 'halt'; readonly reason: string };

export interface Counts {
  readonly total: number;
  readonly ok: number;
  readonly error: number;
  readonly pending: number;
}

/** Everything about a run at one moment. A new object after each change. */
export interface RunSnapshot {
  readonly state: TaskState;
  readonly rows: readonly ImportRow[];
  readonly counts: Counts;
  /** Indexes of the rows that failed or were changed and not saved since. */
  readonly inNeed: ReadonlySet<number>;
  /** Index of the row that is being saved now. */
  readonly current: number | null;
  /** Page (from 0, of ten rows of the file) that the run is at. */
  readonly page: number;
  /** Why it stopped by itself: no connection, session lost. */
  readonly halted: string | null;
  /** Expected time until the last pending row, in ms; null while nothing can be said. */
  readonly leftMs: number | null;
}

export interface RunOptions {
  /** Saves one row and never rejects for a refusal of the server. */
  readonly save: (row: ImportRow) => Promise<Saved>;
  readonly wait?: (ms: number) => Promise<void>;
  readonly now?: () => number;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** Rows after which the expected time is told. */
const ENOUGH_ROWS = 3;

/**
 * The import task: saves the rows of a file one after another, page by page, 100 ms apart. Pending until started; started until
 * stopped or done; continuing after done tries the failed rows again. A stop lets the request under way finish, because only
 * its answer tells whether the row exists. No row is ever lost: each is pending, ok or error at any moment.
 */
export class ImportRun {
  readonly #save: RunOptions['save'];
  readonly #wait: (ms: number) => Promise<void>;
  readonly #now: () => number;
  readonly #rows: ImportRow[];
  readonly #listeners = new Set<() => void>();
  readonly #counts = { total: 0, ok: 0, error: 0, pending: 0 };
  readonly #inNeed = new Set<number>();
  #state: TaskState = 'pending';
  #current: number | null = null;
  #page = 0;
  #halted: string | null = null;
  #looping = false;
  #spent = { rows: 0, ms: 0 };
  /** Cells of the row under way that were changed meanwhile. */
  #held: { readonly index: number; readonly field: string; readonly text: string }[] = [];
  #snapshot: RunSnapshot;

  constructor(rows: readonly ImportRow[], options: RunOptions) {
    this.#save = options.save;
    this.#wait = options.wait ?? sleep;
    this.#now = options.now ?? (() => performance.now());
    this.#rows = [...rows];
    this.#counts.total = rows.length;
    for (const row of rows) this.#counts[row.state] += 1;
    this.#snapshot = this.#take();
  }

  /** For `useSyncExternalStore`. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  readonly snapshot = (): RunSnapshot => this.#snapshot;

  /** Import and Continue. `page`: where to begin (from 0); default: where it stopped. Resolves when it stops or is done. */
  async start(page?: number): Promise<void> {
    if (this.#state === 'started') return;
    if (this.#state === 'done') this.#retryFailed();
    this.#state = 'started';
    this.#halted = null;
    if (page !== undefined) this.#page = page;
    this.#changed();
    // Continued before the request under way was answered: that loop goes on, two would save rows twice.
    if (!this.#looping) await this.#loop();
  }

  /** No further row is begun. */
  stop(): void {
    if (this.#state !== 'started') return;
    this.#state = 'stopped';
    this.#changed();
  }

  /** Changes a cell, which makes the row pending again. Changes of the row under way wait for its answer. */
  edit(index: number, field: string, text: string): void {
    const row = this.#rows[index];
    if (!row) return;
    if (index === this.#current) {
      this.#held.push({ index, field, text });
      return;
    }
    const edited = editRow(row, field, text);
    if (edited === row) return;
    this.#put(index, edited);
    this.#changed();
  }

  async #loop(): Promise<void> {
    this.#looping = true;
    try {
      let first = true;
      for (;;) {
        if (!this.#isStarted()) break;
        const index = this.#nextPending();
        if (index === null) {
          this.#state = 'done';
          break;
        }
        if (!first) await this.#wait(IMPORT_PAUSE_MS);
        first = false;
        // The pause is long enough to stop the run, or to edit the row.
        if (this.#isStarted()) await this.#saveRow(index);
      }
    } finally {
      this.#looping = false;
      this.#current = null;
      // Only a defect in saving ends the loop in this state; the row stays pending and can be tried again.
      if (this.#state === 'started') this.#state = 'stopped';
      this.#changed();
    }
  }

  async #saveRow(index: number): Promise<void> {
    const row = this.#rows[index];
    if (row?.state !== 'pending') return;
    this.#current = index;
    this.#changed();
    const begun = this.#now();
    const saved = await this.#save(row);
    this.#current = null;
    if (saved.outcome === 'halt') {
      this.#state = 'stopped';
      this.#halted = saved.reason;
    } else {
      this.#spent.rows += 1;
      this.#spent.ms += this.#now() - begun;
      this.#put(
        index,
        saved.outcome === 'ok'
          ? { ...row, state: 'ok', problems: [], savedId: saved.id ?? row.savedId, requeued: false }
          : { ...row, state: 'error', problems: saved.problems, requeued: false },
      );
    }
    const held = this.#held;
    this.#held = [];
    this.#changed();
    for (const { index, field, text } of held) this.edit(index, field, text);
  }

  /** The next pending row of the present page, else of the pages after it, else from the beginning. Moves on to its page. */
  #nextPending(): number | null {
    if (this.#counts.pending === 0) return null;
    const size = this.#rows.length;
    const from = this.#page * IMPORT_PAGE_SIZE;
    for (let step = 0; step < size; step += 1) {
      const index = (from + step) % size;
      if (this.#rows[index]?.state === 'pending') {
        this.#page = Math.floor(index / IMPORT_PAGE_SIZE);
        return index;
      }
    }
    return null;
  }

  #retryFailed(): void {
    this.#rows.forEach((row, index) => {
      if (row.state === 'error') this.#put(index, { ...row, state: 'pending', problems: [] });
    });
    this.#page = 0;
  }

  /** A method, so that it is asked again after every pause. */
  #isStarted(): boolean {
    return this.#state === 'started';
  }

  #put(index: number, row: ImportRow): void {
    const old = this.#rows[index];
    if (old) this.#counts[old.state] -= 1;
    this.#counts[row.state] += 1;
    this.#rows[index] = row;
    if (row.state === 'error' || row.requeued) this.#inNeed.add(index);
    else this.#inNeed.delete(index);
  }

  #take(): RunSnapshot {
    const { rows, ms } = this.#spent;
    return {
      state: this.#state,
      rows: this.#rows,
      counts: { ...this.#counts },
      inNeed: this.#inNeed,
      current: this.#current,
      page: this.#page,
      halted: this.#halted,
      leftMs:
        this.#state === 'started' && rows >= ENOUGH_ROWS
          ? this.#counts.pending * (ms / rows + IMPORT_PAUSE_MS)
          : null,
    };
  }

  #changed(): void {
    this.#snapshot = this.#take();
    for (const listener of this.#listeners) listener();
  }
}

export type RunButton = 'import' | 'stop' | 'continue' | 'finished';

/** What the one button of the run says. */
export function runButton({ state, counts }: Pick<RunSnapshot, 'state' | 'counts'>): RunButton {
  switch (state) {
    case 'pending':
      return 'import';
    case 'started':
      return 'stop';
    case 'stopped':
      return 'continue';
    case 'done':
      return counts.ok === counts.total ? 'finished' : 'continue';
  }
}

export type RowFilter = 'all' | 'ok' | 'attention' | 'pending';

/**
 * Indexes of the rows that a filter shows, in the order of the file. `attention`: the failed rows, those changed and not saved
 * since, and while the run is on all rows of its page, so that nothing moves while they are saved. `kept`: a row that is being
 * edited stays whatever becomes of it.
 */
export function filteredRows(
  run: RunSnapshot,
  filter: RowFilter,
  kept: number | null = null,
): readonly number[] {
  if (filter === 'all') return allRows(run.rows);
  if (filter === 'attention') return rowsInNeed(run, kept);
  const shown: number[] = [];
  run.rows.forEach((row, index) => {
    if (row.state === filter || index === kept) shown.push(index);
  });
  return shown;
}

const allIndexes = new WeakMap<readonly ImportRow[], readonly number[]>();

/** A run keeps its rows in one array of fixed length: its indexes are made once. */
function allRows(rows: readonly ImportRow[]): readonly number[] {
  const known = allIndexes.get(rows) ?? [...rows.keys()];
  allIndexes.set(rows, known);
  return known;
}

/** Without a pass over all rows: this is drawn after each row of a run of thousands. */
function rowsInNeed(run: RunSnapshot, kept: number | null): readonly number[] {
  const shown = new Set(run.inNeed);
  if (run.state === 'started') {
    const first = run.page * IMPORT_PAGE_SIZE;
    const end = Math.min(first + IMPORT_PAGE_SIZE, run.rows.length);
    for (let index = first; index < end; index += 1) shown.add(index);
  }
  if (kept !== null) shown.add(kept);
  return [...shown].sort((a, b) => a - b);
}
