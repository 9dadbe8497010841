import { afterEach, beforeEach, expect, test } from 'vitest';
import { waitFor } from '@testing-library/react';
import { errorOf, NoAnswerError } from '#/lib/http/errors';
import { startI18n } from '#/lib/i18n';
import type { BeginUpload, UploadEnd, UploadState } from '../contract';
import { type LocalItem, type QueuePort, UploadQueue } from './queue';
import { allTransfers } from './store';
import { spokenPercent, totalsOf } from './transfer';

function refusal(status: number, code: string) {
  return errorOf({ status, body: { code, detail: `${code}!` }, requestId: null, method: 'POST', path: '/' });
}

/** A host that takes whole files; a test holds them back, or makes something fail. */
class Host implements QueuePort {
  files = new Map<string, string>();
  folders: string[] = [];
  names: string[] = [];
  dropped: string[] = [];
  running = 0;
  most = 0;
  /** Uploads wait for this. */
  gate: Promise<void> = Promise.resolve();
  /** Failures of the next slices. */
  failures: Error[] = [];

  async name(text: string) {
    this.names.push(text);
    return { text, id: text };
  }

  async makeFolder(path: string, keep: boolean) {
    this.folders.push(`${path} ${keep}`);
  }

  async dropUpload(id: string) {
    this.dropped.push(id);
  }

  async beginUpload({ path, replace }: BeginUpload): Promise<UploadState> {
    if (this.files.has(path) && !replace) throw refusal(409, 'exists');
    return { id: path, offset: 0, slice_bytes: 1000 };
  }

  async putSlice(
    id: string,
    _offset: number,
    slice: Blob,
    _onSent: (bytes: number) => void,
    signal: AbortSignal,
  ): Promise<UploadState> {
    this.running += 1;
    this.most = Math.max(this.most, this.running);
    try {
      await this.gate;
      if (signal.aborted) throw new NoAnswerError('PUT', '/', false, null);
      const failure = this.failures.shift();
      if (failure) throw failure;
      this.files.set(id, await slice.text());
      return { id, offset: slice.size, slice_bytes: 1000 };
    } finally {
      this.running -= 1;
    }
  }

  async finishUpload(id: string): Promise<UploadEnd> {
    return { entry: { name: { text: id, id }, kind: 'file' }, sha256: `sha of ${id}`, is_atomic: true };
  }
}

let host: Host | null;
let queue: UploadQueue;
const settled: string[] = [];
const pauses: number[] = [];

beforeEach(async () => {
  await startI18n(['app', 'files'], 'en');
  host = new Host();
  settled.length = 0;
  pauses.length = 0;
  queue = new UploadQueue({
    portOf: () => host,
    onSettled: (session, folder) => settled.push(`${session}:${folder}`),
    pause: async (ms) => void pauses.push(ms),
  });
});
afterEach(() => queue.stopAll());

const item = (name: string, ...folders: string[]): LocalItem => ({ folders, file: new File([name], name) });
const add = (...items: LocalItem[]) => queue.add({ id: 's1', host: 'web-1' }, 'home', items);
const states = () => allTransfers().map(({ state }) => state);
const becomes = (...wanted: string[]) => waitFor(() => expect(states()).toEqual(wanted));
const idOf = (at: number) => allTransfers()[at]?.id ?? '';

function closedGate(): () => void {
  let open: () => void = () => undefined;
  if (host)
    host.gate = new Promise((resolve) => {
      open = resolve;
    });
  return () => open();
}

test('two files go at once, and the folder is read again when all have ended', async () => {
  const open = closedGate();
  add(item('a'), item('b'), item('c'));
  await waitFor(() => expect(host?.running).toBe(2));
  expect(states()).toEqual(['running', 'running', 'waiting']);
  expect(settled).toEqual([]);
  open();
  await becomes('done', 'done', 'done');
  expect(host?.most).toBe(2);
  expect([...(host?.files.keys() ?? [])]).toEqual(['home/a', 'home/b', 'home/c']);
  expect(settled).toEqual(['s1:home']);
  expect(allTransfers()[0]?.sha256).toBe('sha of home/a');
});

test('folders are made once, from the top, and those that exist are kept', async () => {
  add(item('a', 'x', 'y'), item('b', 'x', 'y'), item('c', 'x'), { folders: ['x', 'empty'], file: null });
  await becomes('done', 'done', 'done');
  await waitFor(() => expect(host?.folders).toHaveLength(3));
  expect(host?.folders.toSorted()).toEqual(['home/x true', 'home/x/empty true', 'home/x/y true']);
  expect([...(host?.files.keys() ?? [])].toSorted()).toEqual(['home/x/c', 'home/x/y/a', 'home/x/y/b']);
});

test('an answer for one file concerns this file, one for all also those that come later', async () => {
  for (const name of ['a', 'b', 'c']) host?.files.set(`home/${name}`, 'old');
  add(item('a'), item('b'), item('c'));
  await becomes('asking', 'asking', 'asking');
  queue.answer(idOf(0), 'skip', false);
  expect(states()).toEqual(['skipped', 'asking', 'asking']);
  queue.answer(idOf(1), 'replace', true);
  await becomes('skipped', 'done', 'done');
  expect(host?.files.get('home/a')).toBe('old');
  expect(host?.files.get('home/c')).toBe('c');
});

test('the folder is read again while a question about another file is open', async () => {
  host?.files.set('home/a', 'old');
  add(item('a'), item('b'));
  await becomes('asking', 'done');
  expect(settled).toContain('s1:home');
});

test('both are kept under the first free name', async () => {
  host?.files.set('home/a.txt', 'old').set('home/a (2).txt', 'older');
  add({ folders: [], file: new File(['new'], 'a.txt') });
  await becomes('asking');
  queue.answer(idOf(0), 'keep_both', true);
  await becomes('done');
  expect(Object.fromEntries(host?.files ?? [])).toEqual({
    'home/a.txt': 'old',
    'home/a (2).txt': 'older',
    'home/a (3).txt': 'new',
  });
});

test('a lost connection is tried again after growing pauses, a refusal is not', async () => {
  host?.failures.push(new NoAnswerError('PUT', '/', false, null), refusal(429, 'too_many'));
  add(item('a'));
  await becomes('done');
  expect(pauses).toEqual([1000, 2000]);
  host?.failures.push(refusal(507, 'no_room'));
  add(item('b'));
  await becomes('done', 'failed');
  expect(allTransfers()[1]?.error).toBe('no_room!');
  queue.resume(idOf(1));
  await becomes('done', 'done');
});

test('a file whose last answer was lost is not sent again', async () => {
  const real = host as Host;
  const finish = real.finishUpload.bind(real);
  let isLost = true;
  real.finishUpload = async (id) => {
    const end = await finish(id);
    if (!isLost) return end;
    isLost = false;
    throw new NoAnswerError('POST', '/', false, null);
  };
  add(item('a'));
  await becomes('done');
  expect(allTransfers()[0]?.sha256).toBe('sha of home/a');
  expect(real.names).toEqual(['a']);
});

test('what the end of a session has cut off continues when it is open again', async () => {
  host?.failures.push(refusal(410, 'session_over'), refusal(507, 'no_room'));
  add(item('a'), item('b'));
  await becomes('failed', 'failed');
  queue.resumeSession('another');
  expect(states()).toEqual(['failed', 'failed']);
  queue.resumeSession('s1');
  await waitFor(() => expect(states().toSorted()).toEqual(['done', 'failed']));
  host = null;
  add(item('c'));
  await waitFor(() => expect(states().at(-1)).toBe('failed'));
  expect(allTransfers().at(-1)?.isCutOff).toBe(true);
});

test('a paused file stops and goes on, a cancelled one leaves nothing on the host', async () => {
  const open = closedGate();
  add(item('a'), item('b'));
  await waitFor(() => expect(host?.running).toBe(2));
  const [first, second] = [idOf(0), idOf(1)];
  queue.pause(first);
  queue.cancel(second);
  expect(states()).toEqual(['paused']);
  expect(host?.dropped).toEqual(['home/b']);
  open();
  queue.resume(first);
  await becomes('done');
  expect(settled).toContain('s1:home');
});

test('progress is told in steps of ten percent, and counts neither failures nor skipped files', () => {
  const file = new File(['x'.repeat(1000)], 'x');
  const transfer = (state: string, sent: number) => ({ state, sent, file, speed: 0 });
  const totals = (...of: object[]) => totalsOf(of as unknown as ReturnType<typeof allTransfers>);
  expect(spokenPercent(totals(transfer('running', 190)))).toBe(10);
  expect(spokenPercent(totals(transfer('done', 1000), transfer('failed', 0)))).toBe(100);
  expect(spokenPercent(totals())).toBe(0);
});
