import { http as mock, HttpResponse } from 'msw';
import { expect, test } from 'vitest';
import { recordedServer } from '#/test/recorded';
import { startI18n } from '#/lib/i18n';
import { FilesApi } from './files-api';
import { type Folder, readFolder } from './use-folder';

const BASE = '/files/t/s/';
const PLACE = { path: [{ text: 'srv', id: 'c3J2' }], top: 0, free: 10 };
const ENTRY = { name: { text: '数据', id: '5pWw5o2u' }, kind: 'file', size: 3 };
let body: Uint8Array<ArrayBuffer>[] = [];
let breaks = false;

const { server } = recordedServer(() => [
  mock.get('*/files/t/s/list', () => {
    const pieces = [...body];
    return new HttpResponse(
      new ReadableStream(
        {
          pull(controller) {
            const next = pieces.shift();
            if (next) controller.enqueue(next);
            else if (breaks) controller.error(new Error('gone'));
            else controller.close();
          },
        },
        // A stream that is read ahead would lose its pieces when it breaks.
        { highWaterMark: 0 },
      ),
      { headers: { 'Content-Type': 'application/x-ndjson' } },
    );
  }),
]);

/** The lines of an answer, cut into pieces of `size` bytes: also inside of a letter. */
function answer(lines: readonly object[], size: number): void {
  const bytes = new TextEncoder().encode(lines.map((line) => JSON.stringify(line)).join('\n'));
  body = [];
  for (let at = 0; at < bytes.length; at += size) body.push(bytes.slice(at, at + size));
}

async function read(): Promise<readonly Omit<Folder, 'key' | 'version'>[]> {
  await startI18n(['app', 'files'], 'en');
  const shown: Omit<Folder, 'key' | 'version'>[] = [];
  await readFolder(new FilesApi(BASE), null, (folder) => shown.push(folder), new AbortController().signal);
  return shown;
}

test('rows are shown while the rest of the list is still on its way', async () => {
  breaks = false;
  answer([PLACE, ENTRY, { ...ENTRY, name: { text: 'b', id: 'Yg' } }, { count: 2, problem: null }], 7);
  const shown = await read();
  expect(shown[0]).toMatchObject({ isReading: true, place: PLACE, entries: [ENTRY] });
  expect(shown.at(-1)).toMatchObject({ isReading: false, incomplete: null, failure: null });
  expect(shown.at(-1)?.entries.map(({ name }) => name.text)).toEqual(['数据', 'b']);
});

test('a list without its last line is incomplete, and so is one that the host broke off', async () => {
  breaks = false;
  answer([PLACE, ENTRY], 1000);
  expect((await read()).at(-1)?.incomplete).toMatch(/connection ended/);
  answer([PLACE, ENTRY, { count: 1, problem: { code: 'failed', detail: 'The disk failed.' } }], 1000);
  const last = (await read()).at(-1);
  expect(last?.incomplete).toBe('The disk failed.');
  expect(last?.entries).toHaveLength(1);
});

test('a connection that breaks keeps what has come', async () => {
  breaks = true;
  answer([PLACE, ENTRY, {}], 1000);
  const last = (await read()).at(-1);
  expect(last).toMatchObject({ failure: null, entries: [ENTRY] });
  expect(last?.incomplete).not.toBeNull();
});

test('a refusal is shown in the words of the proxy', async () => {
  server.use(
    mock.get('*/files/t/s/list', () =>
      HttpResponse.json({ code: 'locked', detail: 'The session is locked.' }, { status: 423 }),
    ),
  );
  expect((await read()).at(-1)).toMatchObject({ failure: 'The session is locked.', entries: [] });
});
