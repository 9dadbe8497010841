/**
 * Renders the streams of a program without a terminal as text for the player. The server's export and its screen
 * pictures use the same rules: `postern/contracts/recording/rendering.py`, docs/reference/recording-format.md.
 */

export type StreamLabel = 'stdin' | 'stdout' | 'stderr';

/** Totals of one stream: bytes, SHA-256 of all bytes, and how many bytes the recording does not contain. */
export interface StreamEnd {
  stream: StreamLabel;
  bytes: number;
  notKept: number;
  isBinary: boolean;
  sha256: string;
  protocol: string;
}

const LABELS: readonly StreamLabel[] = ['stdin', 'stdout', 'stderr'];
const KINDS = ['i', 'o', 'x'] as const;
const SAMPLE_PREFIX_BYTES = 10;
const SKIPPED_BYTES = 49;
const QUERY_PREFIX_BYTES = 9;
const FLAG_LAST = 1;
const FLAG_TEXT = 1;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
const BLANK = 32;
const DELETE = 127;
const NOTHING = new Uint8Array(0);

function joined(parts: readonly (Uint8Array | string)[]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const all = parts.map((part) => (typeof part === 'string' ? encoder.encode(part) : part));
  const whole = new Uint8Array(all.reduce((total, part) => total + part.length, 0));
  let at = 0;
  for (const part of all) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Converts line feeds to CR LF, because no terminal driver did so. */
function withReturns(data: Uint8Array): Uint8Array {
  const lines: number[] = [];
  data.forEach((byte, place) => {
    if (byte === LINE_FEED && data[place - 1] !== CARRIAGE_RETURN) lines.push(CARRIAGE_RETURN);
    lines.push(byte);
  });
  return Uint8Array.from(lines);
}

function counted(count: number): string {
  return count.toLocaleString('en-US');
}

function note(text: string): Uint8Array<ArrayBuffer> {
  return joined([`\u001b[2m${text}\u001b[22m\r\n`]);
}

/** Null when the event cannot be parsed. */
export function streamEnd(data: Uint8Array): StreamEnd | null {
  try {
    const fields = JSON.parse(new TextDecoder().decode(data)) as Record<string, unknown>;
    const { stream, bytes, not_kept: notKept, binary, sha256, protocol } = fields;
    if (!LABELS.includes(stream as StreamLabel) || typeof bytes !== 'number' || typeof notKept !== 'number')
      return null;
    return {
      stream: stream as StreamLabel,
      bytes,
      notKept,
      isBinary: binary === true,
      sha256: typeof sha256 === 'string' ? sha256 : '',
      protocol: typeof protocol === 'string' ? protocol : '',
    };
  } catch {
    return null;
  }
}

/** Whether the stream was text only and is completely in the recording. */
export function isWholeText(end: StreamEnd): boolean {
  return end.notKept === 0 && !end.isBinary;
}

function summary(end: StreamEnd): string {
  const parts = [`${end.stream}: ${counted(end.bytes)} bytes`];
  if (end.protocol !== '') parts.push(end.protocol);
  parts.push(end.notKept > 0 ? `${counted(end.notKept)} not kept` : 'binary, all kept');
  return `... ${parts.join(', ')}, SHA-256 ${end.sha256} ...`;
}

/** Replaces control characters in text from a peer, so that it cannot drive the reader's terminal. Line feeds stay. */
function harmless(data: Uint8Array): Uint8Array {
  return data.map((byte) => ((byte < BLANK && byte !== LINE_FEED) || byte === DELETE ? BLANK : byte));
}

function harmlessNote(text: string): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(text);
  return joined([
    '\u001b[2m',
    bytes.map((byte) => (byte < BLANK || byte === DELETE ? BLANK : byte)),
    '\u001b[22m\r\n',
  ]);
}

function fieldsOf(data: Uint8Array): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(data));
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
  } catch {
    return {};
  }
}

/** Text of queries, answers, files and notes; empty for other kinds and for kinds of a newer version. */
function renderRecord(kind: string, data: Uint8Array): Uint8Array<ArrayBuffer> {
  if (kind === 'q') {
    if (data.length < QUERY_PREFIX_BYTES) return NOTHING;
    const isLast = ((data[QUERY_PREFIX_BYTES - 1] ?? 0) & FLAG_LAST) !== 0;
    const text = withReturns(harmless(data.subarray(QUERY_PREFIX_BYTES)));
    return joined(['\u001b[36m', text, '\u001b[39m', isLast ? '\r\n' : '']);
  }
  if (kind !== 'a' && kind !== 'n' && kind !== 't') return NOTHING;
  const { outcome, rows, detail, text, operation, path, size, success } = fieldsOf(data);
  if (kind === 'a' && typeof outcome === 'string') {
    const texts = [outcome, typeof rows === 'number' ? `${counted(rows)} rows` : '', String(detail ?? '')];
    return harmlessNote(texts.filter((part) => part !== '').join(': '));
  }
  if (kind === 'n' && typeof text === 'string') return harmlessNote(text);
  if (kind === 't' && typeof path === 'string')
    return harmlessNote(
      `${String(operation)} ${path}: ${success === true ? `${counted(Number(size))} bytes` : 'failed'}`,
    );
  return NOTHING;
}

/** What an event shows on a terminal; empty for events without text. */
export function render(kind: string, data: Uint8Array): Uint8Array<ArrayBuffer> {
  switch (kind) {
    case 'o':
      return joined([withReturns(data)]);
    case 'i': // Zero bytes are dropped, as a shell does.
      return joined(['\u001b[36m', withReturns(data.filter((byte) => byte !== 0)), '\u001b[39m']);
    case 'x':
      return joined(['\u001b[31m', withReturns(data), '\u001b[39m']);
    case 'c':
      return joined([
        '\u001b[1m',
        data.map((byte) => (byte < BLANK || byte === DELETE ? BLANK : byte)),
        '\u001b[22m\r\n',
      ]);
    case 's': {
      const stream = KINDS[data[0] ?? KINDS.length];
      const isText = ((data[1] ?? 0) & FLAG_TEXT) !== 0;
      return stream !== undefined && isText ? render(stream, data.subarray(SAMPLE_PREFIX_BYTES)) : NOTHING;
    }
    case 'g': {
      const label = LABELS[data[0] ?? LABELS.length];
      if (label === undefined || data.length !== SKIPPED_BYTES) return NOTHING;
      const length = new DataView(data.buffer, data.byteOffset, data.byteLength).getBigUint64(9);
      return note(`... ${label}: ${counted(Number(length))} bytes not kept ...`);
    }
    case 'f': {
      const end = streamEnd(data);
      return end === null || isWholeText(end) ? NOTHING : note(summary(end));
    }
    default:
      return renderRecord(kind, data);
  }
}
