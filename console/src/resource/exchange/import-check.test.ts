import { describe, expect, test } from 'vitest';
import {
  checkCounts,
  type CheckOptions,
  ImportCheck,
  isCorrectable,
  isShown,
  type Verdict,
} from './import-check';
import { type ImportRow, rowsOf } from './import-row';
import { ImportRun } from './import-run';

const columns = [
  { field: 'name', label: 'Name', required: true, heading: '*Name' },
  { field: 'kind', label: 'Kind', required: false, heading: 'Kind' },
];

/** A server for which names are unique, “bad” is wrong, “typo” has a correction, and “taken” belongs to an object. */
function judged(row: ImportRow): Verdict {
  const name = String(row.values['name']);
  const none = { problems: [], remedies: [], takenBy: null, forecast: null, unique: [] };
  const problems = [{ field: 'name', text: `Name: ${name}` }];
  if (name === 'bad') return { ...none, problems };
  if (name === 'typo')
    return { ...none, problems, remedies: [{ field: 'name', value: 'right', label: 'right' }] };
  if (name === 'taken' && !row.target) return { ...none, problems, takenBy: { id: 'g1', name: 'taken' } };
  return {
    ...none,
    forecast: { outcome: row.target ? 'update' : 'create', changes: [] },
    unique: [{ fields: ['name'], value: `digest of ${name}` }],
  };
}

function rig(names: readonly string[], options: Partial<CheckOptions> = {}) {
  const asked: string[][] = [];
  const run = new ImportRun(rowsOf(names.map((name) => ({ name }))), {
    save: async () => ({ outcome: 'ok', id: null }),
    wait: async () => {},
  });
  const check = new ImportCheck(run, {
    check: async (rows) => {
      asked.push(rows.map((row) => String(row.values['name'])));
      return { verdicts: rows.map(judged) };
    },
    kindOf: (row) => (row.target ? 'update' : 'create'),
    repeated: (column, row) => `${column} like row ${row}`,
    columns,
    now: () => 0,
    ...options,
  });
  const states = () => run.snapshot().rows.map((row) => row.state);
  const texts = () => run.snapshot().rows.map((row) => row.problems.map(({ text }) => text).join());
  return { run, check, asked, states, texts };
}

describe('the check before an import', () => {
  test('marks each row, and the run saves only the right ones', async () => {
    const { run, check, states } = rig(['ops', 'bad', 'net']);
    await check.start();
    expect(check.snapshot()).toEqual({ state: 'done', checked: 3, total: 3, halted: null });
    expect(states()).toEqual(['pending', 'error', 'pending']);
    expect(checkCounts(run.snapshot().rows)).toEqual({ create: 2, update: 0, wrong: 1, correctable: [] });
    await run.start();
    expect(states()).toEqual(['ok', 'error', 'ok']);
  });

  test('goes through ten thousand rows in chunks that follow the speed of the server', async () => {
    let ms = 0;
    const sizes: number[] = [];
    const { check } = rig(
      Array.from({ length: 10_000 }, (_, index) => `row ${index}`),
      {
        now: () => ms,
        check: async (rows) => {
          sizes.push(rows.length);
          ms += rows.length * 10;
          return { verdicts: rows.map(judged) };
        },
      },
    );
    await check.start();
    expect(check.snapshot().checked).toBe(10_000);
    expect(sizes.slice(0, 3)).toEqual([50, 100, 100]);
    expect(Math.max(...sizes)).toBe(100);
  });

  test('a fast server gets at most 500 rows in one request, a slow one at least ten', async () => {
    for (const [cost, limit] of [
      [0, 500],
      [5_000, 10],
    ] as const) {
      let ms = 0;
      const sizes: number[] = [];
      const { check } = rig(
        Array.from({ length: 3_000 }, (_, index) => `row ${index}`),
        {
          now: () => ms,
          check: async (rows) => {
            sizes.push(rows.length);
            ms += rows.length * cost;
            return { verdicts: rows.map(judged) };
          },
        },
      );
      await check.start();
      expect(sizes[6]).toBe(limit);
    }
  });

  test('a changed row is checked again at once, before the rows that wait', async () => {
    const { run, check, asked, states } = rig([
      'bad',
      ...Array.from({ length: 99 }, (_, index) => `${index}`),
    ]);
    const done = check.start();
    await Promise.resolve();
    check.edit(0, 'name', 'good');
    await done;
    expect(asked[1]?.[0]).toBe('good');
    expect(states()[0]).toBe('pending');
    expect(run.snapshot().rows[0]?.forecast?.outcome).toBe('create');
  });

  test('an answer about a row that was changed meanwhile is not taken over', async () => {
    let calls = 0;
    const { run, check } = rig(['bad'], {
      check: async (rows) => {
        calls += 1;
        if (calls === 1) check.edit(0, 'name', 'good');
        return { verdicts: rows.map(judged) };
      },
    });
    await check.start();
    expect(calls).toBe(2);
    expect(run.snapshot().rows[0]).toMatchObject({ state: 'pending', forecast: { outcome: 'create' } });
  });

  test('of two rows with one name the first is right; changing it makes the second right', async () => {
    const names = ['ops', ...Array.from({ length: 120 }, (_, index) => `${index}`), 'ops', 'ops'];
    const { check, states, texts } = rig(names);
    await check.start();
    expect([states()[0], states()[121], states()[122]]).toEqual(['pending', 'error', 'error']);
    expect(texts()[121]).toBe('Name like row 1');
    check.edit(0, 'name', 'dev');
    await check.start();
    expect([states()[0], states()[121], states()[122]]).toEqual(['pending', 'pending', 'error']);
    expect(texts()[122]).toBe('Name like row 122');
    check.edit(121, 'name', 'web');
    await check.start();
    expect(states().filter((state) => state === 'error')).toEqual([]);
  });

  test('corrections are accepted one by one or all together; a taken name becomes an update', async () => {
    const { run, check, asked } = rig(['typo', 'bad', 'taken', 'ops']);
    await check.start();
    const { correctable, wrong } = checkCounts(run.snapshot().rows);
    expect([correctable, wrong]).toEqual([[0, 2], 3]);
    check.accept(correctable);
    await check.start();
    expect(run.snapshot().rows[0]?.values).toEqual({ name: 'right' });
    expect(run.snapshot().rows[2]).toMatchObject({ target: { id: 'g1' }, forecast: { outcome: 'update' } });
    expect(checkCounts(run.snapshot().rows)).toMatchObject({ create: 2, update: 1, wrong: 1 });
    expect(asked).toEqual([['typo', 'bad', 'taken', 'ops'], ['right'], ['taken']]);
  });

  test('a row with another error beside the correctable one has no obvious correction', () => {
    const [row] = rowsOf([{ name: 'typo' }]);
    if (!row) throw new Error('no row');
    const wrong: ImportRow = {
      ...row,
      state: 'error',
      problems: [
        { field: 'name', text: 'a' },
        { field: 'kind', text: 'b' },
      ],
      remedies: [{ field: 'name', value: 'right', label: 'right' }],
    };
    expect(isCorrectable(wrong)).toBe(false);
  });

  test('a server that cannot be asked halts the check, which goes on later where it was', async () => {
    let broken = true;
    const { check, asked, states } = rig(['ops', 'bad'], {
      check: async (rows) => {
        if (broken) return { halted: 'no connection' };
        asked.push(rows.map((row) => String(row.values['name'])));
        return { verdicts: rows.map(judged) };
      },
    });
    await check.start();
    expect(check.snapshot()).toMatchObject({ state: 'halted', halted: 'no connection', checked: 0 });
    broken = false;
    await check.start();
    expect(check.snapshot().state).toBe('done');
    expect(asked).toEqual([['ops', 'bad']]);
    expect(states()).toEqual(['pending', 'error']);
  });

  test('rows that name no object to update are wrong without a request', async () => {
    const { check, asked, texts } = rig(['ops', 'net'], { kindOf: () => ({ field: 'id', text: 'no ID' }) });
    await check.start();
    expect(asked).toEqual([]);
    expect(texts()).toEqual(['no ID', 'no ID']);
  });

  test('after the import has begun nothing is checked and no verdict replaces a result', async () => {
    const { run, check, states } = rig(['ops', 'bad']);
    check.stop();
    await run.start();
    await check.start();
    expect(states()).toEqual(['ok', 'ok']);
  });

  test('filters show rows by their outcome; changed rows stay among the wrong ones', async () => {
    const { run, check } = rig(['ops', 'bad']);
    await check.start();
    check.edit(1, 'name', 'good');
    await check.start();
    const shown = (filter: Parameters<typeof isShown>[1]) =>
      run.snapshot().rows.flatMap((row) => (isShown(row, filter) ? [row.number] : []));
    expect([shown('all'), shown('wrong'), shown('create'), shown('update')]).toEqual([
      [1, 2],
      [2],
      [1, 2],
      [],
    ]);
  });
});
