import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseEvents, Recording, type ByteSource, type RecordingEvent } from './container';

const FOLDER = join(process.cwd(), '../server/tests/fixtures/recordings');

interface Expected {
  shown?: string;
  events: [number, string, string][];
  manifest: { blocks: number };
}

function file(name: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(readFileSync(join(FOLDER, name)));
}

function source(bytes: Uint8Array<ArrayBuffer>): ByteSource {
  return {
    read: (start, end) => {
      const from = start < 0 ? Math.max(0, bytes.length + start) : start;
      return Promise.resolve({ bytes: bytes.slice(from, end), size: bytes.length });
    },
  };
}

function expected(name: string): Expected {
  return JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as Expected;
}

async function allEvents(recording: Recording): Promise<RecordingEvent[]> {
  const events: RecordingEvent[] = [];
  for (let block = 0; block < recording.blockCount; block += 1)
    events.push(...(await recording.events(block)));
  return events;
}

async function textOf(recording: Recording): Promise<string> {
  const decoder = new TextDecoder();
  return (await allEvents(recording))
    .map((event) => (event.kind === 'output' ? decoder.decode(event.data, { stream: true }) : ''))
    .join('');
}

describe('recordings', () => {
  it.each(['tiny', 'shell', 'incomplete'])(
    'of a terminal are decoded as the server encoded them: %s',
    async (name) => {
      const { events, manifest } = expected(`${name}.json`);
      const recording = await Recording.open(source(file(`${name}.postern`)));
      expect(recording.isProgram).toBe(false);
      expect(recording.blockCount).toBe(manifest.blocks);
      const output = events
        .filter(([, kind]) => kind === 'o')
        .map(([, , data]) => atob(data))
        .join('');
      const bytes = Uint8Array.from(output, (character) => character.charCodeAt(0));
      expect(await textOf(recording)).toBe(new TextDecoder().decode(bytes));
      expect(await recording.streamEnds()).toEqual([]);
    },
  );

  it("of a program show the same text as the server's export, without control characters", async () => {
    const { shown } = expected('program.json');
    const recording = await Recording.open(source(file('program.postern')));
    expect(recording.isProgram).toBe(true);
    const text = await textOf(recording);
    expect(text).toBe(shown);
    expect(text).toContain('500,000 bytes not kept');
    expect(text).not.toContain('\u0000');
  });

  it('of a program report the totals of each stream', async () => {
    const recording = await Recording.open(source(file('program.postern')));
    expect(await recording.streamEnds()).toEqual([
      {
        stream: 'stdout',
        bytes: 600_000,
        notKept: 500_000,
        isBinary: true,
        sha256: 'ab'.repeat(32),
        protocol: 'tar',
      },
      { stream: 'stderr', bytes: 22, notKept: 0, isBinary: false, sha256: 'cd'.repeat(32), protocol: '' },
    ]);
  });

  it('of queries show statements, answers, files and notes as the server does, and drive no terminal', async () => {
    const { shown } = expected('queries.json');
    const recording = await Recording.open(source(file('queries.postern')));
    expect(recording.isPlayable).toBe(true);
    const text = await textOf(recording);
    expect(text).toBe(shown);
    expect(text).toContain('12,345 rows');
    expect(text).not.toContain('\u001b[2J');
  });

  it('of a desktop or a newer version report that they cannot be played', async () => {
    const recording = await Recording.open(source(file('desktop.postern')));
    expect(recording.isPlayable).toBe(false);
    expect(await textOf(recording)).toBe('');
    const bytes = file('queries.postern');
    // Not by a TextDecoder: what browsers call latin1 decodes some bytes to other characters.
    const text = Array.from(bytes, (byte) => String.fromCharCode(byte)).join('');
    const renamed = text.replace('"queries"', '"unheard"');
    const newer = await Recording.open(
      source(Uint8Array.from(renamed, (character) => character.charCodeAt(0))),
    );
    expect(newer.isPlayable).toBe(false);
    const later = renamed.replace('"unheard"', '"queries"').replace('"events":2', '"events":3');
    const opened = await Recording.open(
      source(Uint8Array.from(later, (character) => character.charCodeAt(0))),
    );
    expect([opened.isPlayable, opened.isNewer, newer.isNewer]).toEqual([true, true, false]);
  });

  it.each(['shell', 'program'])('of an earlier version can be played: %s', async (name) => {
    expect((await Recording.open(source(file(`${name}.postern`)))).isPlayable).toBe(true);
  });

  it('of a program show nothing for damaged events', () => {
    const keyframe = [0x6b, 0, 5, 0, 80, 0, 24, 0];
    for (const kind of ['s', 'g', 'f', 'c', 'x', 'i', 'o', 'q', 'a', 'n', 't', 'd', '?']) {
      const events = parseEvents(Uint8Array.from([...keyframe, kind.charCodeAt(0), 0, 1, 9]), 0, true);
      expect(events[0]?.kind).toBe('keyframe');
    }
  });
});
