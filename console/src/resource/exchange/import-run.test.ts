import { describe, expect, test, vi } from 'vitest';
import { cellText, type ImportRow, rowsOf } from './import-row';
import {
  filteredRows,
  IMPORT_PAGE_SIZE,
  IMPORT_PAUSE_MS,
  ImportRun,
  runButton,
  type Saved,
  type TaskState,
} from './import-run';

const OK: Saved = { outcome: 'ok', id: 'made' };
const REFUSED: Saved = { outcome: 'error', problems: [{ field: 'name', text: 'Name: taken' }] };
const LOST: Saved = { outcome: 'halt', reason: 'no connection' };

interface Request {
  readonly row: ImportRow;
  readonly answer: (saved: Saved) => Promise<void>;
}

/** Runs all pending microtasks. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
}

/** A run whose requests and pauses the test resolves by hand; `log` records the events in order. */
function rig(count: number) {
  const log: string[] = [];
  const requests: Request[] = [];
  const pauses: (() => Promise<void>)[] = [];
  const run = new ImportRun(
    rowsOf(Array.from({ length: count }, (_, index) => ({ name: `row ${index + 1}` }))),
    {
      save: (row) =>
        new Promise((resolve) => {
          log.push(`save ${row.number}`);
          requests.push({
            row,
            answer: async (saved) => {
              resolve(saved);
              await settle();
            },
          });
        }),
      wait: (ms) =>
        new Promise((resolve) => {
          log.push(`wait ${ms}`);
          pauses.push(async () => {
            resolve();
            await settle();
          });
        }),
    },
  );
  return { run, log, requests, pauses };
}

/** A run that advances by itself; `outcome` decides the result of each row. */
function selfRunning(count: number, outcome: (row: ImportRow) => Saved = () => OK) {
  const saved: ImportRow[] = [];
  const pauses: number[] = [];
  const run = new ImportRun(
    rowsOf(Array.from({ length: count }, (_, index) => ({ name: `row ${index + 1}` }))),
    {
      save: (row) => {
        saved.push(row);
        return Promise.resolve(outcome(row));
      },
      wait: (ms) => {
        pauses.push(ms);
        return Promise.resolve();
      },
    },
  );
  return { run, saved, pauses, numbers: () => saved.map((row) => row.number) };
}

const states = (run: ImportRun) => run.snapshot().rows.map((row) => row.state);

test('[S3-069] a row is pending, then ok, or error with its message', async () => {
  const { run } = selfRunning(2, (row) => (row.number === 1 ? OK : REFUSED));
  expect(states(run)).toEqual(['pending', 'pending']);
  await run.start();
  expect(states(run)).toEqual(['ok', 'error']);
  expect(run.snapshot().rows.map((row) => row.problems)).toEqual([
    [],
    [{ field: 'name', text: 'Name: taken' }],
  ]);
});

test('[S4-051] [S4-052] [S4-053] [S4-054] [S4-055] [S4-056] states of the task and the labels of its button', async () => {
  const { run, requests, pauses } = rig(2);
  const seen: [TaskState, string][] = [];
  const look = () => seen.push([run.snapshot().state, runButton(run.snapshot())]);
  look();
  const first = run.start();
  look();
  run.stop();
  look();
  await requests[0]?.answer(REFUSED);
  await first;
  const second = run.start();
  await settle();
  await requests[1]?.answer(OK);
  await second;
  look();
  const third = run.start();
  await settle();
  look();
  await requests[2]?.answer(OK);
  await third;
  look();
  expect(pauses).toHaveLength(0);
  expect(seen).toEqual([
    ['pending', 'import'],
    ['started', 'stop'],
    ['stopped', 'continue'],
    ['done', 'continue'],
    ['started', 'stop'],
    ['done', 'finished'],
  ]);
});

test('[S4-060] [S9-016] rows are saved one by one, 100 ms apart', async () => {
  const { run, log, requests, pauses } = rig(3);
  const end = run.start();
  await settle();
  expect(log).toEqual(['save 1']);
  await requests[0]?.answer(OK);
  expect(log).toEqual(['save 1', 'wait 100']);
  await pauses[0]?.();
  await requests[1]?.answer(REFUSED);
  await pauses[1]?.();
  await requests[2]?.answer(OK);
  await end;
  expect(log).toEqual(['save 1', 'wait 100', 'save 2', 'wait 100', 'save 3']);
  expect(IMPORT_PAUSE_MS).toBe(100);
});

test('[S4-060] [S9-016] the default pause uses the real clock', async () => {
  vi.useFakeTimers();
  try {
    let saved = 0;
    const run = new ImportRun(rowsOf([{}, {}]), {
      save: () => {
        saved += 1;
        return Promise.resolve(OK);
      },
    });
    const end = run.start();
    await vi.advanceTimersByTimeAsync(99);
    expect(saved).toBe(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(saved).toBe(2);
    await end;
  } finally {
    vi.useRealTimers();
  }
});

test('[S4-059] [S4-061] [S9-015] the current page of ten row by row, then the next page, until done', async () => {
  const { run, numbers } = selfRunning(25);
  const pages: number[] = [];
  run.subscribe(() => {
    const { current, page } = run.snapshot();
    if (current !== null) pages.push(page);
  });
  await run.start();
  expect(IMPORT_PAGE_SIZE).toBe(10);
  expect(numbers()).toEqual(Array.from({ length: 25 }, (_, index) => index + 1));
  expect(pages.filter((page) => page === 0)).toHaveLength(10);
  expect(pages.filter((page) => page === 1)).toHaveLength(10);
  expect(pages.filter((page) => page === 2)).toHaveLength(5);
  expect(run.snapshot().state).toBe('done');
});

test('[S4-059] started on a later page, it begins there and still saves every row', async () => {
  const { run, numbers } = selfRunning(25);
  await run.start(1);
  expect(numbers()).toEqual([
    ...Array.from({ length: 15 }, (_, index) => index + 11),
    1,
    2,
    3,
    4,
    5,
    6,
    7,
    8,
    9,
    10,
  ]);
});

test('[S4-061] stopped in the pause, no further row is started; continued, it resumes there', async () => {
  const { run, log, requests, pauses } = rig(12);
  const end = run.start();
  await settle();
  await requests[0]?.answer(OK);
  run.stop();
  await pauses[0]?.();
  await end;
  expect(log).toEqual(['save 1', 'wait 100']);
  expect(run.snapshot()).toMatchObject({ state: 'stopped', current: null, counts: { ok: 1, pending: 11 } });
  void run.start();
  await settle();
  expect(log.at(-1)).toBe('save 2');
});

test('a row being saved when the run is stopped still gets its answer', async () => {
  const { run, requests } = rig(2);
  const end = run.start();
  await settle();
  run.stop();
  expect(run.snapshot()).toMatchObject({ state: 'stopped', current: 0 });
  await requests[0]?.answer(OK);
  await end;
  expect(states(run)).toEqual(['ok', 'pending']);
  expect(requests).toHaveLength(1);
});

test('stopped and continued before the answer, no row is saved twice', async () => {
  const { run, log, requests, pauses } = rig(2);
  const first = run.start();
  await settle();
  run.stop();
  await run.start();
  await run.start();
  expect(log).toEqual(['save 1']);
  await requests[0]?.answer(OK);
  await pauses[0]?.();
  await requests[1]?.answer(OK);
  await first;
  expect(log).toEqual(['save 1', 'wait 100', 'save 2']);
  expect(run.snapshot().state).toBe('done');
});

test('stop before the start and after the end has no effect', async () => {
  const { run } = selfRunning(1);
  run.stop();
  expect(run.snapshot().state).toBe('pending');
  await run.start();
  run.stop();
  expect(run.snapshot().state).toBe('done');
});

test('[S4-057] continue after done makes the failed rows pending and retries only them', async () => {
  let broken = true;
  const { run, saved, numbers } = selfRunning(4, (row) => (broken && row.number % 2 === 0 ? REFUSED : OK));
  await run.start();
  expect(states(run)).toEqual(['ok', 'error', 'ok', 'error']);
  broken = false;
  const again = run.start();
  expect(states(run)).toEqual(['ok', 'pending', 'ok', 'pending']);
  expect(run.snapshot().rows[1]?.problems).toEqual([]);
  await again;
  expect(numbers()).toEqual([1, 2, 3, 4, 2, 4]);
  expect(saved).toHaveLength(6);
  expect(states(run)).toEqual(['ok', 'ok', 'ok', 'ok']);
});

test('[S4-057] continue after a stop does not retry the failed rows', async () => {
  const { run, requests, pauses } = rig(3);
  const end = run.start();
  await settle();
  await requests[0]?.answer(REFUSED);
  run.stop();
  await pauses[0]?.();
  await end;
  void run.start();
  await settle();
  expect(states(run)).toEqual(['error', 'pending', 'pending']);
  expect(requests.at(-1)?.row.number).toBe(2);
});

describe('[S4-058] editing a cell makes its row pending', () => {
  test('for a failed row, whose errors are cleared', async () => {
    const { run } = selfRunning(2, (row) => (row.number === 1 ? REFUSED : OK));
    await run.start();
    run.edit(0, 'name', 'better');
    expect(run.snapshot().rows[0]).toMatchObject({
      state: 'pending',
      problems: [],
      values: { name: 'better' },
    });
    expect(run.snapshot().counts).toEqual({ total: 2, ok: 1, error: 0, pending: 1 });
    expect(runButton(run.snapshot())).toBe('continue');
  });

  test('for a saved row, which then updates its object', async () => {
    const { run, saved } = selfRunning(1);
    await run.start();
    run.edit(0, 'name', 'better');
    expect(run.snapshot().rows[0]?.state).toBe('pending');
    await run.start();
    expect(saved[1]).toMatchObject({ savedId: 'made', values: { name: 'better' } });
    expect(states(run)).toEqual(['ok']);
  });

  test('for a row before the current one, which is saved at the end of the same run', async () => {
    const { run, log, requests, pauses } = rig(12);
    void run.start(1);
    await settle();
    await requests[0]?.answer(REFUSED);
    run.edit(0, 'name', 'better');
    await pauses[0]?.();
    await requests[1]?.answer(OK);
    await pauses[1]?.();
    expect(log.filter((line) => line.startsWith('save'))).toEqual(['save 11', 'save 12', 'save 1']);
  });

  test('for the row being saved, after its answer', async () => {
    const { run, requests } = rig(1);
    void run.start();
    await settle();
    run.edit(0, 'name', 'better');
    expect(run.snapshot().rows[0]?.values).toEqual({ name: 'row 1' });
    await requests[0]?.answer(OK);
    expect(run.snapshot().rows[0]).toMatchObject({ values: { name: 'better' }, savedId: 'made' });
    expect(requests).toHaveLength(1);
  });

  test('but not without a change, nor for an unknown row', async () => {
    const { run } = selfRunning(1);
    await run.start();
    run.edit(0, 'name', cellText('row 1'));
    run.edit(7, 'name', 'x');
    expect(states(run)).toEqual(['ok']);
  });
});

describe('lost session or connection', () => {
  test('it stops the run; the current row stays pending, and no other row is touched', async () => {
    const { run, saved } = selfRunning(5, (row) => (row.number === 3 ? LOST : OK));
    await run.start();
    expect(run.snapshot()).toMatchObject({ state: 'stopped', halted: 'no connection', current: null });
    expect(states(run)).toEqual(['ok', 'ok', 'pending', 'pending', 'pending']);
    expect(saved).toHaveLength(3);
    expect(runButton(run.snapshot())).toBe('continue');
  });

  test('the next attempt continues with that row', async () => {
    let offline = true;
    const { run, numbers } = selfRunning(5, (row) => (offline && row.number === 3 ? LOST : OK));
    await run.start();
    offline = false;
    await run.start();
    expect(numbers()).toEqual([1, 2, 3, 3, 4, 5]);
    expect(run.snapshot()).toMatchObject({ state: 'done', halted: null });
  });
});

test('an exception in saving ends the run without losing a row', async () => {
  const run = new ImportRun(rowsOf([{}, {}]), { save: () => Promise.reject(new Error('bug')) });
  await expect(run.start()).rejects.toThrow('bug');
  expect(run.snapshot()).toMatchObject({ state: 'stopped', current: null, counts: { pending: 2 } });
});

test('a file without rows is done at once', async () => {
  const { run } = selfRunning(0);
  await run.start();
  expect(run.snapshot()).toMatchObject({ state: 'done', counts: { total: 0 } });
});

test('the remaining time is estimated from the third row on', async () => {
  let clock = 0;
  const left: (number | null)[] = [];
  const run = new ImportRun(rowsOf(Array.from({ length: 5 }, () => ({}))), {
    save: () => {
      clock += 50;
      return Promise.resolve(OK);
    },
    wait: () => {
      left.push(run.snapshot().leftMs);
      return Promise.resolve();
    },
    now: () => clock,
  });
  await run.start();
  // 50 ms for each row and 100 ms before it.
  expect(left).toEqual([null, null, 300, 150]);
  expect(run.snapshot().leftMs).toBeNull();
});

test('rows that a filter shows', async () => {
  const { run, requests, pauses } = rig(15);
  void run.start();
  await settle();
  await requests[0]?.answer(OK);
  await pauses[0]?.();
  await requests[1]?.answer(REFUSED);
  const numbers = (...[filter, editedRow]: [Parameters<typeof filteredRows>[1], number?]) =>
    filteredRows(run.snapshot(), filter, editedRow).map((index) => index + 1);
  expect(numbers('all')).toHaveLength(15);
  expect(numbers('ok')).toEqual([1]);
  expect(numbers('pending')).toEqual([3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15]);
  // The current page is shown completely, so that no row moves during its run.
  expect(numbers('attention')).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  run.stop();
  expect(numbers('attention')).toEqual([2]);
  run.edit(12, 'name', 'changed');
  expect(numbers('attention')).toEqual([2, 13]);
  expect(numbers('attention', 4)).toEqual([2, 5, 13]);
});

test('of 20,000 rows each is saved and reported once', async () => {
  const { run, saved } = selfRunning(20_000);
  let notifications = 0;
  run.subscribe(() => (notifications += 1));
  await run.start();
  expect(new Set(saved.map((row) => row.number)).size).toBe(20_000);
  expect(saved).toHaveLength(20_000);
  expect(run.snapshot().counts).toEqual({ total: 20_000, ok: 20_000, error: 0, pending: 0 });
  expect(notifications).toBeGreaterThan(20_000);
}, 60_000);
