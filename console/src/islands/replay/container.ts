/**
 * Reads a sealed recording by range requests: docs/reference/recording-format.md.
 *
 * The file may be damaged or hostile: each length is checked against its limit before anything is allocated, and
 * unpacking stops at the declared size.
 */

import { render, streamEnd, type StreamEnd } from './streams';

const MAGIC = [0x50, 0x4f, 0x53, 0x54, 0x45, 0x52, 0x4e, 0x01]; // "POSTERN" 1
const END_MARK = [0x50, 0x53, 0x54, 0x4e, 0x45, 0x4e, 0x44, 0x01]; // "PSTNEND" 1
const TRAILER_BYTES = 28;
const BLOCK_HEADER_BYTES = 48;
const MAX_JSON_BYTES = 65_536;
const MAX_INDEX_BYTES = 32 * 1024 * 1024;
const MAX_BLOCK_BYTES = 8 * 1024 * 1024;
const MAX_BLOCKS = 4_194_304;
const MAX_CELLS = 1_000;
const FIRST_TAIL_BYTES = 128 * 1024;
const FIRST_HEAD_BYTES = 64 * 1024;
/** Number of unpacked blocks in the cache: seeking back and forth over a short distance needs no request. */
const KEPT_BLOCKS = 8;

/** Reads bytes of the file: `start` counts from the beginning, or from the end when negative. */
export interface ByteSource {
  read(start: number, end?: number): Promise<{ bytes: Uint8Array<ArrayBuffer>; size: number }>;
}

/** The file is not a recording that can be played. `message` is for logs; the page shows its own text. */
export class RecordingError extends Error {
  override name = 'RecordingError';
}

export interface RecordingHeader {
  session_id: string;
  started_at: string;
  columns: number;
  rows: number;
  charset: string;
  /** Version of the events of a program without a terminal; absent with a terminal. */
  streams?: number;
  /** Kind of content where `streams` does not determine it: "queries", "desktop", or a kind of a newer version. */
  content?: string;
  /** Version of the event kinds that the recording may contain; absent for the first version. */
  events?: number;
}

export interface RecordingManifest {
  state: 'sealed' | 'incomplete';
  blocks: number;
  chain: string;
  duration_ms: number;
  columns: number;
  rows: number;
  key_id: string;
  ended_at: string;
  end_reason: string;
}

export interface RecordingMark {
  ms: number;
  name: string;
  text: string;
}

export type RecordingEvent =
  | { kind: 'keyframe'; ms: number; columns: number; rows: number; text: Uint8Array<ArrayBuffer> }
  | { kind: 'output'; ms: number; data: Uint8Array<ArrayBuffer> }
  | { kind: 'resize'; ms: number; columns: number; rows: number }
  | { kind: 'stream_end'; ms: number; end: StreamEnd };

/** The newest version of event kinds that this player knows. */
const EVENTS_VERSION = 2;
const PLAYABLE: readonly [string, ...string[]] = ['terminal', 'program', 'queries'];

/** The newest version of stream events that this player knows. */
const STREAMS_VERSION = 1;

interface BlockPlace {
  offset: number;
  length: number;
  firstMs: number;
}

function requireThat(condition: boolean, message: string): asserts condition {
  if (!condition) throw new RecordingError(message);
}

function startsWith(bytes: Uint8Array, mark: number[], at = 0): boolean {
  return mark.every((value, index) => bytes[at + index] === value);
}

function view(bytes: Uint8Array<ArrayBuffer>): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function safeU64(data: DataView, at: number): number {
  const value = data.getBigUint64(at);
  requireThat(value <= BigInt(Number.MAX_SAFE_INTEGER), 'a number is too large');
  return Number(value);
}

function parseObject(bytes: Uint8Array): Record<string, unknown> {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new RecordingError('a JSON part cannot be read');
  }
  requireThat(
    typeof value === 'object' && value !== null && !Array.isArray(value),
    'a JSON part is no object',
  );
  return value as Record<string, unknown>;
}

/**
 * Unpacks raw deflate. Fails when the result is not exactly `expected` bytes or, without `expected`, exceeds `limit`.
 */
export async function inflate(
  packed: Uint8Array<ArrayBuffer>,
  limit: number,
  expected?: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
    start: (controller) => {
      controller.enqueue(packed);
      controller.close();
    },
  });
  const reader = source.pipeThrough(new DecompressionStream('deflate-raw')).getReader();
  const parts: Uint8Array[] = [];
  let total = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      total += value.length;
      if (total > limit) {
        await reader.cancel();
        throw new RecordingError('a packed part is larger than it may be');
      }
      parts.push(value);
    }
  } catch (error) {
    if (error instanceof RecordingError) throw error;
    throw new RecordingError('a packed part is damaged');
  }
  requireThat(expected === undefined || total === expected, 'a packed part has another size than promised');
  const whole = new Uint8Array(total);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

function size(columns: number, rows: number): { columns: number; rows: number } {
  requireThat(
    columns >= 1 && columns <= MAX_CELLS && rows >= 1 && rows <= MAX_CELLS,
    'a terminal size is out of range',
  );
  return { columns, rows };
}

/**
 * The events of one unpacked block. Events of a program without a terminal (`isProgram`) become the text that they
 * show.
 */
export function parseEvents(
  raw: Uint8Array<ArrayBuffer>,
  firstMs: number,
  isProgram = false,
): RecordingEvent[] {
  const events: RecordingEvent[] = [];
  let at = 0;
  let ms = firstMs;

  function varint(): number {
    let value = 0;
    let factor = 1;
    for (let count = 0; count < 8; count += 1) {
      const byte = raw[at];
      requireThat(byte !== undefined, 'an event is cut off');
      at += 1;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) {
        requireThat(value <= Number.MAX_SAFE_INTEGER, 'a number is too large');
        return value;
      }
      factor *= 128;
    }
    throw new RecordingError('a number is too long');
  }

  while (at < raw.length) {
    const kind = String.fromCharCode(raw[at] as number);
    at += 1;
    ms += varint();
    const length = varint();
    requireThat(at + length <= raw.length, 'an event is cut off');
    const data = raw.subarray(at, at + length);
    at += length;
    if (isProgram && kind !== 'k' && kind !== 'r') {
      const text = render(kind, data);
      if (text.length > 0) events.push({ kind: 'output', ms, data: text });
      const end = kind === 'f' ? streamEnd(data) : null;
      if (end !== null) events.push({ kind: 'stream_end', ms, end });
    } else if (kind === 'o') {
      events.push({ kind: 'output', ms, data });
    } else if (kind === 'k' || kind === 'r') {
      requireThat(length >= (kind === 'k' ? 5 : 4), 'an event is cut off');
      const cells = view(data);
      const terminal = size(cells.getUint16(0), cells.getUint16(2));
      events.push(
        kind === 'k'
          ? { kind: 'keyframe', ms, ...terminal, text: data.subarray(5) }
          : { kind: 'resize', ms, ...terminal },
      );
    }
  }
  requireThat(events[0]?.kind === 'keyframe', 'a block does not begin with a picture of the screen');
  return events;
}

function numbers(value: unknown, name: string): number[] {
  requireThat(
    Array.isArray(value) &&
      value.length <= MAX_BLOCKS &&
      value.every((entry) => Number.isSafeInteger(entry) && entry >= 0),
    `the index column ${name} cannot be read`,
  );
  return value as number[];
}

/** An opened recording. */
export class Recording {
  readonly #source: ByteSource;
  readonly #places: BlockPlace[];
  readonly #blocks = new Map<number, Promise<RecordingEvent[]>>();

  private constructor(
    source: ByteSource,
    places: BlockPlace[],
    readonly header: RecordingHeader,
    readonly manifest: RecordingManifest,
    readonly activity: { unitMs: number; bytes: number[] },
    readonly marks: RecordingMark[],
    readonly fileBytes: number,
  ) {
    this.#source = source;
    this.#places = places;
  }

  get durationMs(): number {
    return this.manifest.duration_ms;
  }

  /** A command without a terminal: it has input, output and error streams instead of a screen. */
  get isProgram(): boolean {
    return (this.header.streams ?? 0) > 0;
  }

  /** Whether this player can show the recording; false for desktops and for kinds of a newer version. */
  get isPlayable(): boolean {
    return PLAYABLE.includes(this.header.content ?? PLAYABLE[0]);
  }

  /** Whether the recording may contain events that only a newer version can show. */
  get isNewer(): boolean {
    return (this.header.events ?? 1) > EVENTS_VERSION;
  }

  /** Totals of a program's streams, which are at the end of the recording. */
  async streamEnds(): Promise<StreamEnd[]> {
    if (!this.isProgram || this.blockCount === 0) return [];
    const events = await this.events(this.blockCount - 1);
    return events.flatMap((event) => (event.kind === 'stream_end' ? [event.end] : []));
  }

  get blockCount(): number {
    return this.#places.length;
  }

  /** Opens a recording with two requests (three when index and manifest exceed 128 KiB). */
  static async open(source: ByteSource): Promise<Recording> {
    const tail = await source.read(-FIRST_TAIL_BYTES);
    const fileBytes = tail.size;
    requireThat(tail.bytes.length >= TRAILER_BYTES, 'the file is too short');
    const trailer = tail.bytes.subarray(tail.bytes.length - TRAILER_BYTES);
    requireThat(startsWith(trailer, END_MARK, 20), 'the end mark is missing');
    const data = view(trailer);
    const indexOffset = safeU64(data, 0);
    const indexLength = data.getUint32(8);
    const manifestLength = data.getUint32(12);
    const signatureLength = data.getUint32(16);
    requireThat(
      signatureLength === 64 && manifestLength <= MAX_JSON_BYTES && indexLength <= MAX_INDEX_BYTES,
      'a length in the trailer is out of range',
    );
    requireThat(
      indexOffset + indexLength + manifestLength + signatureLength + TRAILER_BYTES === fileBytes,
      'the parts do not fill the file',
    );
    const needed = fileBytes - indexOffset;
    const end = needed <= tail.bytes.length ? tail.bytes : (await source.read(indexOffset)).bytes;
    const start = end.length - needed;
    requireThat(start >= 0, 'the answer is too short');
    const index = parseObject(await inflate(end.slice(start, start + indexLength), MAX_INDEX_BYTES));
    const manifest = parseObject(
      end.subarray(start + indexLength, start + indexLength + manifestLength),
    ) as unknown as RecordingManifest;

    const head = (await source.read(0, Math.min(FIRST_HEAD_BYTES, fileBytes))).bytes;
    requireThat(head.length >= 12 && startsWith(head, MAGIC), 'this is not a recording');
    const headerLength = view(head).getUint32(8);
    requireThat(headerLength <= MAX_JSON_BYTES, 'the header is too long');
    const headerBytes =
      head.length >= 12 + headerLength ? head : (await source.read(0, 12 + headerLength)).bytes;
    const header = parseObject(headerBytes.subarray(12, 12 + headerLength)) as unknown as RecordingHeader;
    size(header.columns, header.rows);
    requireThat((header.streams ?? 0) <= STREAMS_VERSION, 'this is a newer version of recordings');

    const lengths = numbers(index['length'], 'length');
    const firstMs = numbers(index['first_ms'], 'first_ms');
    requireThat(
      lengths.length === firstMs.length && lengths.length === manifest.blocks,
      'the index has columns of different length',
    );
    let offset = 12 + headerLength;
    const places = lengths.map((length, block) => {
      requireThat(
        length >= BLOCK_HEADER_BYTES && length <= BLOCK_HEADER_BYTES + MAX_BLOCK_BYTES,
        'a block is too long',
      );
      const place = { offset, length, firstMs: firstMs[block] as number };
      offset += length;
      return place;
    });
    requireThat(offset === indexOffset, 'the blocks do not fill the file');
    return new Recording(source, places, header, manifest, activityOf(index), marksOf(index), fileBytes);
  }

  /** Number of the last block that begins at or before `ms`. */
  blockAt(ms: number): number {
    let low = 0;
    let high = this.#places.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((this.#places[middle] as BlockPlace).firstMs <= ms) low = middle;
      else high = middle - 1;
    }
    return low;
  }

  /** Events of block `number`. A block is requested once and stays cached while it is among the most recently used. */
  events(number: number): Promise<RecordingEvent[]> {
    const known = this.#blocks.get(number);
    const events = known ?? this.#load(number);
    this.#blocks.delete(number);
    this.#blocks.set(number, events);
    if (known === undefined) {
      // A failed request must not stay cached: the next try may succeed.
      events.catch(() => this.#blocks.delete(number));
      for (const oldest of this.#blocks.keys()) {
        if (this.#blocks.size <= KEPT_BLOCKS) break;
        this.#blocks.delete(oldest);
      }
    }
    return events;
  }

  async #load(number: number): Promise<RecordingEvent[]> {
    const place = this.#places[number];
    requireThat(place !== undefined, 'there is no such block');
    const { bytes } = await this.#source.read(place.offset, place.offset + place.length);
    requireThat(bytes.length === place.length, 'the answer is too short');
    const data = view(bytes);
    requireThat(
      startsWith(bytes, [0x42, 0x4c, 0x4b, 0x31]) && data.getUint32(4) === number,
      'a block is misplaced',
    );
    const codec = data.getUint8(8);
    const packedLength = data.getUint32(12);
    const rawLength = data.getUint32(16);
    requireThat(
      packedLength === place.length - BLOCK_HEADER_BYTES && rawLength <= MAX_BLOCK_BYTES,
      'a block has a length out of range',
    );
    const packed = bytes.slice(BLOCK_HEADER_BYTES);
    requireThat(codec === 0 || codec === 1, 'a block is packed in an unknown way');
    const raw = codec === 1 ? await inflate(packed, rawLength, rawLength) : packed;
    requireThat(raw.length === rawLength, 'a block has another size than promised');
    return parseEvents(raw, safeU64(data, 20), this.isProgram);
  }
}

function activityOf(index: Record<string, unknown>): { unitMs: number; bytes: number[] } {
  const activity = index['activity'] as { unit_ms?: unknown; bytes?: unknown } | undefined;
  const unitMs = Number(activity?.unit_ms);
  if (activity === undefined || !(unitMs > 0)) return { unitMs: 1000, bytes: [] };
  return { unitMs, bytes: numbers(activity.bytes, 'activity') };
}

function marksOf(index: Record<string, unknown>): RecordingMark[] {
  const marks = index['marks'];
  if (!Array.isArray(marks)) return [];
  return marks.slice(0, 10_000).map((mark: unknown) => {
    const [ms, name, text] = Array.isArray(mark) ? (mark as unknown[]) : [];
    return { ms: Number(ms) || 0, name: String(name ?? ''), text: String(text ?? '') };
  });
}

/** Reads a URL of our own origin by range requests, with the person's session. */
export function httpSource(url: string, signal?: AbortSignal): ByteSource {
  return {
    async read(start, end) {
      const range = start < 0 ? `bytes=${start}` : `bytes=${start}-${end === undefined ? '' : end - 1}`;
      const answer = await fetch(url, {
        headers: { Range: range },
        credentials: 'same-origin',
        signal: signal ?? null,
      });
      requireThat(answer.status === 206 || answer.status === 200, `the server answered ${answer.status}`);
      const bytes = new Uint8Array(await answer.arrayBuffer());
      if (answer.status === 206) {
        const total = /\/(\d+)$/.exec(answer.headers.get('Content-Range') ?? '')?.[1];
        requireThat(total !== undefined, 'the server did not say how long the recording is');
        return { bytes, size: Number(total) };
      }
      // The whole file was returned: the server ignores ranges, or the file is shorter than the range.
      const from = start < 0 ? Math.max(0, bytes.length + start) : start;
      return { bytes: bytes.slice(from, end), size: bytes.length };
    },
  };
}
