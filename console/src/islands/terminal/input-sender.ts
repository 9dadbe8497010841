/**
 * Sends input to the proxy: keystrokes and pasted text, in order, each byte once.
 *
 * A paste is sent in pieces, only as far as the proxy has granted credit, so that acknowledgements of output and the
 * end of the session never wait behind it. Bytes that the proxy may not have received are retained: after a reconnect
 * the proxy says how many arrived, and sending continues from that byte.
 */

const PIECE_BYTES = 32 * 1024;
const INTERRUPT = 0x03;
const QUIT = 0x1c;
const SUSPEND = 0x1a;
/** Maximum number of bytes of a UTF-8 character after its first. */
const LONGEST_REST = 3;
const PASTE_BEGIN = new TextEncoder().encode('\u001b[200~');
const PASTE_END = new TextEncoder().encode('\u001b[201~');

/** Input that belongs together: one key, one mouse report, one paste. */
interface Entry {
  readonly data: Uint8Array<ArrayBuffer>;
  /** Total of input bytes before this entry. */
  readonly at: number;
  /** The entry ends a paste whose rest was dropped, and is never dropped itself. */
  readonly closes: boolean;
}

export class InputSender {
  readonly #transmit: (piece: Uint8Array<ArrayBuffer>) => void;
  readonly #encoder = new TextEncoder();
  /** Retained until the target has taken them. Mostly empty: a session gets single keys. */
  #entries: Entry[] = [];
  /** Byte totals: accepted here, sent, and allowed. The last is null while the proxy does not count (older release). */
  #end = 0;
  #sent = 0;
  #until: number | null = null;
  #up = false;
  #dropAtReturn = false;

  constructor(transmit: (piece: Uint8Array<ArrayBuffer>) => void) {
    this.#transmit = transmit;
  }

  /** Bytes that have not been sent yet. */
  get unsent(): number {
    return this.#end - this.#sent;
  }

  /** The session is open. `until` is undefined for a proxy that does not count input. */
  opened(until: number | undefined): void {
    this.#up = true;
    this.#until = until ?? null;
  }

  /** The connection was resumed: continue after the bytes that have arrived. */
  resumed(received: number | undefined, until: number | undefined): void {
    this.#up = true;
    this.#until = until ?? null;
    if (received === undefined || received > this.#end) {
      this.#forget(received ?? 0);
    } else {
      this.#sent = received;
      if (this.#dropAtReturn) this.#drop();
      this.#release(received);
    }
    this.#dropAtReturn = false;
    this.#flush();
  }

  /** The connection broke. Entries accepted before that are retained for the reconnect. */
  lost(): void {
    this.#up = false;
  }

  /** The session is over. */
  close(): void {
    this.#up = false;
    this.#forget(0);
  }

  credit(taken: number, until: number): void {
    this.#release(taken);
    this.#until = until;
    this.#flush();
  }

  /**
   * Sends keystrokes or pasted text. Ignored while disconnected: input typed without seeing the screen must not run
   * later.
   */
  send(text: string): void {
    this.sendBytes(this.#encoder.encode(text));
  }

  /** Sends raw bytes (mouse reports of old programs are not UTF-8). */
  sendBytes(data: Uint8Array<ArrayBuffer>): void {
    const first = data[0];
    if (data.length === 1 && (first === INTERRUPT || first === QUIT || first === SUSPEND)) {
      // At these keys a terminal driver drops its pending input; the person does not want the rest of the paste either.
      if (this.#up) this.#drop();
      else this.#dropAtReturn = true;
    }
    if (!this.#up || data.length === 0) return;
    this.#add(data, false);
    this.#flush();
  }

  #add(data: Uint8Array<ArrayBuffer>, closes: boolean): void {
    this.#entries.push({ data, at: this.#end, closes });
    this.#end += data.length;
  }

  #flush(): void {
    for (const entry of this.#unsent()) {
      const end = entry.at + entry.data.length;
      while (this.#sent < end) {
        const stop = Math.min(end, this.#sent + PIECE_BYTES, this.#until ?? end);
        if (stop <= this.#sent) return;
        const piece = entry.data.slice(this.#sent - entry.at, stop - entry.at);
        this.#sent = stop;
        this.#transmit(piece);
      }
    }
    if (this.#until === null) this.#entries = [];
  }

  #unsent(): Entry[] {
    // Searches from the end, because usually only the newest entry is unsent.
    const first = this.#entries.findLastIndex((entry) => entry.at <= this.#sent);
    return this.#entries.slice(Math.max(first, 0));
  }

  #release(taken: number): void {
    const firstRetained = this.#entries.findIndex((entry) => entry.at + entry.data.length > taken);
    this.#entries = firstRetained < 0 ? [] : this.#entries.slice(firstRetained);
  }

  /** Drops everything that has not been sent; a paste that has begun is terminated properly. */
  #drop(): void {
    this.#entries = this.#entries.filter((entry) => entry.at < this.#sent || entry.closes);
    const last = this.#entries.at(-1);
    this.#end = last === undefined ? this.#sent : last.at + last.data.length;
    if (last === undefined || last.closes || this.#end === this.#sent) return;
    const cut = this.#sent - last.at;
    this.#entries.pop();
    this.#end = last.at;
    this.#add(last.data.slice(0, cut), false);
    const ending = endingOf(last.data, cut);
    if (ending.length > 0) this.#add(ending, true);
  }

  #forget(total: number): void {
    this.#entries = [];
    this.#end = total;
    this.#sent = total;
  }
}

/**
 * The bytes that must follow when input is cut: the rest of a character, and the end mark of a paste. Without the mark,
 * a program would treat the next keys as pasted text.
 */
function endingOf(data: Uint8Array, cut: number): Uint8Array<ArrayBuffer> {
  const rest = data.subarray(cut);
  const isMarked = PASTE_BEGIN.every((byte, index) => data[index] === byte);
  if (isMarked && rest.length <= PASTE_END.length) return rest.slice();
  const next = rest.findIndex((byte) => (byte & 0xc0) !== 0x80);
  const character = rest.subarray(0, next < 0 ? LONGEST_REST : Math.min(next, LONGEST_REST));
  return Uint8Array.of(...character, ...(isMarked ? PASTE_END : []));
}
