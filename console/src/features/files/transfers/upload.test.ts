import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { errorOf } from '#/lib/http/errors';
import type { BeginUpload, UploadState } from '../contract';
import { upload, type UploadPort } from './upload';

const TEXT = 'The quick brown fox jumps over the lazy dog.';
const FILE = new File([TEXT], 'fox.txt', { lastModified: 1_700_000_000_500 });
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

function refusal(status: number, body: object) {
  return errorOf({ status, body, requestId: null, method: 'PUT', path: '/' });
}

/** A host with slices of ten bytes, which has `held` of the file. */
class Host implements UploadPort {
  begun: BeginUpload[] = [];
  offsets: number[] = [];
  finished: boolean[] = [];

  constructor(
    public held = '',
    readonly tail = sha256(held),
  ) {}

  async beginUpload(body: BeginUpload): Promise<UploadState> {
    this.begun.push(body);
    if (body.fresh) this.held = '';
    return {
      id: 'u',
      offset: this.held.length,
      slice_bytes: 10,
      tail_sha256: this.held === '' ? '' : this.tail,
    };
  }

  async putSlice(
    _id: string,
    offset: number,
    slice: Blob,
    onSent: (bytes: number) => void,
  ): Promise<UploadState> {
    this.offsets.push(offset);
    if (offset !== this.held.length)
      throw refusal(409, { code: 'wrong_offset', detail: 'no', offset: this.held.length });
    onSent(slice.size);
    this.held += await slice.text();
    return { id: 'u', offset: this.held.length, slice_bytes: 10 };
  }

  async finishUpload(_id: string, replace: boolean) {
    this.finished.push(replace);
    return {
      entry: { name: { text: 'fox.txt', id: 'f' }, kind: 'file' as const },
      sha256: sha256(this.held),
      is_atomic: true,
    };
  }
}

function send(host: UploadPort, replace = false) {
  const progress: number[] = [];
  const { signal } = new AbortController();
  const onProgress = (bytes: number) => progress.push(bytes);
  const ended = upload(host, FILE, { path: 'p', replace, signal, onBegun: () => undefined, onProgress });
  return { ended, progress };
}

test('a file goes in slices, in order, and its time in seconds', async () => {
  const host = new Host();
  const { ended, progress } = send(host);
  expect((await ended).sha256).toBe(sha256(TEXT));
  expect(host.held).toBe(TEXT);
  expect(host.offsets).toEqual([0, 10, 20, 30, 40]);
  expect(host.begun).toEqual([
    { path: 'p', size: 44, modified: 1_700_000_000, replace: false, fresh: false },
  ]);
  expect(progress.at(-1)).toBe(44);
  expect(progress).toEqual(progress.toSorted((one, other) => one - other));
});

test('an unfinished upload continues if its end is that of the own file', async () => {
  const host = new Host(TEXT.slice(0, 25));
  await send(host).ended;
  expect(host.offsets[0]).toBe(25);
  expect(host.held).toBe(TEXT);
});

test.each([
  ['another end', new Host('X'.repeat(25))],
  ['no proof', new Host(TEXT.slice(0, 25), '')],
  ['more than the file has', new Host('X'.repeat(60))],
])('an unfinished upload with %s begins afresh', async (_why, host) => {
  await send(host, true).ended;
  expect(host.begun.map(({ fresh }) => fresh)).toEqual([false, true]);
  expect(host.offsets[0]).toBe(0);
  expect(host.held).toBe(TEXT);
  expect(host.finished).toEqual([true]);
});

test('a slice whose answer was lost is not sent again: the host says where to continue', async () => {
  const host = new Host();
  const put = host.putSlice.bind(host);
  let isFirst = true;
  host.putSlice = async (id, offset, slice, onSent) => {
    const state = await put(id, offset, slice, onSent);
    if (!isFirst) return state;
    isFirst = false;
    // It has arrived, the answer says an older offset.
    return { ...state, offset: 0 };
  };
  await send(host).ended;
  expect(host.offsets.slice(0, 3)).toEqual([0, 0, 10]);
  expect(host.held).toBe(TEXT);
});

test('a host that never agrees about the offset ends the upload', async () => {
  const host = new Host();
  host.putSlice = async (_id, offset) => {
    host.offsets.push(offset);
    throw refusal(409, { code: 'wrong_offset', detail: 'no', offset: 5 });
  };
  await expect(send(host).ended).rejects.toMatchObject({ code: 'wrong_offset' });
  expect(host.offsets).toHaveLength(4);
});

test('an empty file is begun and finished', async () => {
  const host = new Host();
  const { signal } = new AbortController();
  const nothing = () => undefined;
  await upload(host, new File([], 'empty'), {
    path: 'p',
    replace: false,
    signal,
    onBegun: nothing,
    onProgress: nothing,
  });
  expect([host.offsets, host.finished]).toEqual([[], [false]]);
});
