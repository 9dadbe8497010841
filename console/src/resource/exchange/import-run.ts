import { editRow, type ImportRow, type RowProblem } from './import-row';

export type TaskState = 'pending' | 'started' | 'stopped' | 'done';

export const IMPORT_PAGE_SIZE = 10;
export const IMPORT_PAUSE_MS = 100;

/**
 * Result of saving a row. `halt`: it is not known whether the row was saved, or further rows would fail as well. The
 * run stops and the row stays pending.
 */
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

/** Snapshot of a run; a new object after each change. */
export interface RunSnapshot {
  readonly state: TaskState;
  readonly rows: readonly ImportRow[];
  readonly counts: Counts;
  /** Indexes of the rows that failed (in the check or in the run) or were edited and not saved since. */
  readonly inNeed: ReadonlySet<number>;
  /** Index of the row that is being saved now. */
  readonly current: number | null;
  /** Current page of the run (from 0, ten rows of the file each). */
  readonly page: number;
  /** Why the run stopped by itself: no connection, or the session is lost. */
  readonly halted: string | null;
  /** Estimated time until the last pending row is saved, in ms; null while unknown. */
  readonly leftMs: number | null;
}

export interface RunOptions {
  /** Saves one row. Does not reject when the server refuses the row. */
  readonly save: (row: ImportRow) => Promise<Saved>;
  readonly wait?: (ms: number) => Promise<void>;
  readonly now?: () => number;
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms);
  });
}

/** Number of saved rows needed for an estimate of the remaining time. */
const ENOUGH_ROWS = 3;

/**
 * The import task: saves the rows of a file one after another, page by page, 100 ms apart. Pending until started;
 * started until stopped or done. Continuing after done retries the failed rows. A stop lets the current request finish,
 * because only its answer tells whether the object exists. Every row is always in one of the states pending, ok or
 * error.
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
  /** Edits of the current row made while it is being saved. */
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

  /**
   * Starts or continues the run. `page` is the page to start with (from 0); default: where the run stopped. Resolves
   * when the run stops or is done.
   */
  async start(page?: number): Promise<void> {
    if (this.#state === 'started') return;
    if (this.#state === 'done') this.#retryFailed();
    this.#state = 'started';
    this.#halted = null;
    if (page !== undefined) this.#page = page;
    this.#changed();
    // Continued before the current request was answered: the existing loop goes on. A second loop would save rows
    // twice.
    if (!this.#looping) await this.#loop();
  }

  /** Stops the run: no further row is started. */
  stop(): void {
    if (this.#state !== 'started') return;
    this.#state = 'stopped';
    this.#changed();
  }

  /** Edits a cell, which makes the row pending again. Edits of the row being saved are applied after its answer. */
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

  /** Replaces rows before the run; afterwards results are final. Rows that `change` returns unchanged stay. */
  change(indexes: Iterable<number>, change: (row: ImportRow, index: number) => ImportRow): void {
    if (this.#state !== 'pending') return;
    let any = false;
    for (const index of indexes) {
      const row = this.#rows[index];
      const next = row && change(row, index);
      if (!next || next === row) continue;
      this.#put(index, next);
      any = true;
    }
    if (any) this.#changed();
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
        // The run may have been stopped, or the row edited, during the pause.
        if (this.#isStarted()) await this.#saveRow(index);
      }
    } finally {
      this.#looping = false;
      this.#current = null;
      // Only an exception ends the loop in this state; the row stays pending and can be retried.
      if (this.#state === 'started') this.#state = 'stopped';
      this.#changed();
    }
  }

  async #saveRow(index: number): Promise<void> {
    const row = this.#rows[index];
    if (row?.state !== 'pending') return;
    this.#current = index;
    this.#changed();
    const startedAt = this.#now();
    const saved = await this.#save(row);
    this.#current = null;
    if (saved.outcome === 'halt') {
      this.#state = 'stopped';
      this.#halted = saved.reason;
    } else {
      this.#spent.rows += 1;
      this.#spent.ms += this.#now() - startedAt;
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

  /**
   * Index of the next pending row: of the current page, else of later pages, else from the beginning. Updates the
   * current page.
   */
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

  /** A method instead of a local value, because the state may change during every pause. */
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

/** Label of the run's button. */
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
 * Indexes of the rows that a filter shows, in the order of the file. `attention`: failed rows and rows edited but not
 * saved; during a run also all rows of the current page, so that nothing moves while they are saved. `editedRow`: a row
 * being edited stays visible whatever its state.
 */
export function filteredRows(
  run: RunSnapshot,
  filter: RowFilter,
  editedRow: number | null = null,
): readonly number[] {
  if (filter === 'all') return allRows(run.rows);
  if (filter === 'attention') return rowsInNeed(run, editedRow);
  const indexes: number[] = [];
  run.rows.forEach((row, index) => {
    if (row.state === filter || index === editedRow) indexes.push(index);
  });
  return indexes;
}

const allIndexes = new WeakMap<readonly ImportRow[], readonly number[]>();

/** Cached: a run keeps its rows in one array of fixed length. */
function allRows(rows: readonly ImportRow[]): readonly number[] {
  const known = allIndexes.get(rows) ?? [...rows.keys()];
  allIndexes.set(rows, known);
  return known;
}

/** Does not iterate over all rows, because it runs after each row of an import with thousands. */
function rowsInNeed(run: RunSnapshot, editedRow: number | null): readonly number[] {
  const indexes = new Set(run.inNeed);
  if (run.state === 'started') {
    const first = run.page * IMPORT_PAGE_SIZE;
    const end = Math.min(first + IMPORT_PAGE_SIZE, run.rows.length);
    for (let index = first; index < end; index += 1) indexes.add(index);
  }
  if (editedRow !== null) indexes.add(editedRow);
  return [...indexes].sort((a, b) => a - b);
}
