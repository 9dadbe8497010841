import { InputSender } from './input-sender';

/**
 * The browser's end of a live session: JSON text frames for control, binary frames for terminal bytes.
 *
 * Output bytes are counted. The count is acknowledged after the terminal has drawn them (flow control). A broken
 * connection resumes at that count, so a restarted server or a changed network loses nothing on the screen. Input is
 * counted as well: see `input-sender.ts`.
 */

export type ConnectionStatus = 'connecting' | 'prompting' | 'open' | 'reconnecting' | 'ended';

export interface OpenedSession {
  session_id: string;
  asset: string;
  system_user: string;
  login_name: string;
  actions: number;
  recorded: boolean;
  host_key: string;
  idle_timeout_s: number;
}

/** A session of the file manager: nothing of it is drawn, its files are reached by HTTP. */
export type OpenedFiles = Omit<OpenedSession, 'recorded'>;

export interface WatchedSession {
  session_id: string;
  user: string;
  asset: string;
  system_user: string;
}

export interface EndedSession {
  /** Reason codes: see the enums EndReason and DenialCode of the server. */
  reason: string;
  message: string;
  exitStatus: number | null;
}

/** Callbacks of the connection to its terminal and page. */
export interface ConnectionListener {
  /** Bytes to draw; call `drawn` when the terminal has processed them. */
  output(data: Uint8Array<ArrayBuffer>, drawn: () => void): void;
  /** The next output redraws the whole screen at this size. */
  screen(columns: number, rows: number): void;
  resized(columns: number, rows: number): void;
  /** `via` names the gateways that are being passed, from the proxy to the host. */
  status(status: ConnectionStatus, detail: string, via?: string): void;
  opened(session: OpenedSession): void;
  filesOpened?(session: OpenedFiles): void;
  watching(session: WatchedSession): void;
  prompt(prompt: { id: number; text: string; echo: boolean }): void;
  /** `actions`: the permitted actions from now on; null when they have not changed. */
  notice(code: string, message: string, actions: number | null): void;
  ended(end: EndedSession): void;
  /** Round trip to the proxy, in milliseconds. */
  latency(ms: number): void;
  /** Approximate number of bytes of a large paste that the host has not taken yet; 0 when it is done or was dropped. */
  pasting(bytes: number): void;
}

/** Frames of the proxy, as defined in `contracts/browser.py`. */
type ServerMessage =
  | { type: 'state'; state: string; via: string }
  | ({ type: 'opened'; resume_secret: string; input_until?: number } & OpenedSession)
  | ({ type: 'files_opened'; resume_secret: string } & OpenedFiles)
  | {
      type: 'resumed';
      session_id: string;
      resume_secret: string;
      offset: number;
      input_received?: number;
      input_until?: number;
    }
  | { type: 'input_credit'; taken: number; until: number }
  | { type: 'screen'; columns: number; rows: number; offset: number }
  | ({ type: 'watching' } & WatchedSession)
  | { type: 'resized'; columns: number; rows: number }
  | { type: 'prompt'; prompt_id: number; text: string; echo: boolean }
  | { type: 'notice'; code: string; message: string; actions: number | null }
  | { type: 'ended'; reason: string; message: string; exit_status: number | null }
  | { type: 'pong'; t: number };

type First =
  | { type: 'open'; token: string; columns: number; rows: number }
  | { type: 'open_files'; token: string }
  | { type: 'watch'; token: string };

/** Time after which the proxy ends a session when nobody reconnects, in ms (contracts: RESUME_GRACE_S). */
const RESUME_FOR_MS = 60_000;
const FIRST_PAUSE_MS = 250;
const LONGEST_PAUSE_MS = 5_000;
const PING_EVERY_MS = 5_000;
/**
 * Less unsent input than this is not reported, because it leaves quickly. Above, it is reported in steps of this size.
 */
const PASTE_STEP_BYTES = 64 * 1024;
/** Without any frame for this long the connection is dead, even if the socket has not noticed. */
const SILENCE_LIMIT_MS = 15_000;
const ACK_EVERY_BYTES = 64 * 1024;
/** Close code of the web server when the person is not signed in (any more). */
const CLOSE_SIGNED_OUT = 4401;

export interface ConnectionOptions {
  /** Path on our own origin, as the server named it. */
  path: string;
  first: First;
  listener: ConnectionListener;
  /** Injected by tests. */
  createSocket?: (url: string) => WebSocket;
}

export class LiveConnection {
  readonly #options: ConnectionOptions;
  readonly #input = new InputSender((piece) => this.#socket?.send(piece));
  #socket: WebSocket | null = null;
  #session: { id: string; secret: string } | null = null;
  #columns = 80;
  #rows = 24;
  #received = 0;
  #drawn = 0;
  #acknowledged = 0;
  /** After a `screen` message, one binary frame is a screen picture and is not counted. */
  #pictureNext: { offset: number } | null = null;
  #over = false;
  #lostAt: number | null = null;
  #pauseMs = FIRST_PAUSE_MS;
  #retry: ReturnType<typeof setTimeout> | null = null;
  #heartbeat: ReturnType<typeof setInterval> | null = null;
  #lastFrameAt = 0;
  #pasting = 0;

  constructor(options: ConnectionOptions) {
    this.#options = options;
    if (options.first.type === 'open') {
      this.#columns = options.first.columns;
      this.#rows = options.first.rows;
    }
  }

  connect(): void {
    this.#options.listener.status('connecting', '');
    this.#open();
  }

  /**
   * Sends keystrokes or pasted text. Ignored while disconnected: input typed without seeing the screen must not run
   * later.
   */
  send(text: string): void {
    this.#input.send(text);
    this.#tellPaste();
  }

  /** Sends raw bytes (mouse reports of old programs are not UTF-8). */
  sendBytes(data: Uint8Array<ArrayBuffer>): void {
    this.#input.sendBytes(data);
    this.#tellPaste();
  }

  resize(columns: number, rows: number): void {
    this.#columns = columns;
    this.#rows = rows;
    if (this.#session !== null) this.#say({ type: 'resize', columns, rows });
  }

  answer(promptId: number, value: string): void {
    this.#say({ type: 'answer', prompt_id: promptId, value });
    this.#options.listener.status('connecting', 'authenticating');
  }

  /** Ends the session permanently. */
  close(): void {
    this.#say({ type: 'close' });
    this.#finish();
  }

  /** Closes the connection without ending the session (the page goes away, or a watcher stops watching). */
  dispose(): void {
    this.#finish();
  }

  #open(): void {
    const url = new URL(this.#options.path, location.href);
    url.protocol = url.protocol === 'https:' ? 'wss:' : 'ws:';
    const socket = (this.#options.createSocket ?? ((address) => new WebSocket(address)))(url.href);
    socket.binaryType = 'arraybuffer';
    this.#socket = socket;
    socket.addEventListener('open', () => {
      this.#lastFrameAt = Date.now();
      this.#say(
        this.#session === null
          ? { ...this.#options.first, ...(this.#options.first.type === 'open' && { counts_input: true }) }
          : {
              type: 'resume',
              session_id: this.#session.id,
              resume_secret: this.#session.secret,
              received: this.#received,
              columns: this.#columns,
              rows: this.#rows,
              counts_input: true,
            },
      );
      this.#startHeartbeat();
    });
    socket.addEventListener('message', (event: MessageEvent<string | ArrayBuffer>) => {
      this.#lastFrameAt = Date.now();
      if (typeof event.data === 'string') this.#hear(event.data);
      else this.#draw(new Uint8Array(event.data));
    });
    socket.addEventListener('close', (event) => {
      if (this.#socket !== socket) return;
      // The server says that this sign-in has ended: every reconnect would be refused.
      if (event.code === CLOSE_SIGNED_OUT)
        this.#end({ reason: 'account_closed', message: '', exitStatus: null });
      else this.#lost();
    });
  }

  #say(message: Record<string, unknown>): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #hear(text: string): void {
    const { listener } = this.#options;
    const message = JSON.parse(text) as ServerMessage;
    switch (message.type) {
      case 'state':
        listener.status('connecting', message.state, message.via);
        break;
      case 'opened':
        this.#session = { id: message.session_id, secret: message.resume_secret };
        this.#input.opened(message.input_until);
        this.#up();
        listener.opened(message);
        // The window may have been resized while the session was being opened.
        this.resize(this.#columns, this.#rows);
        break;
      case 'files_opened':
        this.#session = { id: message.session_id, secret: message.resume_secret };
        this.#up();
        listener.filesOpened?.(message);
        break;
      case 'resumed':
        this.#session = { id: message.session_id, secret: message.resume_secret };
        this.#received = message.offset;
        this.#drawn = this.#received;
        this.#acknowledged = this.#received;
        this.#up();
        this.#input.resumed(message.input_received, message.input_until);
        this.#tellPaste();
        break;
      case 'input_credit':
        this.#input.credit(message.taken, message.until);
        this.#tellPaste();
        break;
      case 'watching':
        this.#up();
        listener.watching(message);
        break;
      case 'screen':
        this.#pictureNext = { offset: message.offset };
        listener.screen(message.columns, message.rows);
        break;
      case 'resized':
        listener.resized(message.columns, message.rows);
        break;
      case 'prompt':
        listener.status('prompting', '');
        listener.prompt({ id: message.prompt_id, text: message.text, echo: message.echo });
        break;
      case 'notice':
        listener.notice(message.code, message.message, message.actions);
        break;
      case 'pong':
        listener.latency(Math.max(0, performance.now() - message.t));
        break;
      case 'ended':
        this.#end({
          reason: message.reason,
          message: message.message,
          exitStatus: message.exit_status,
        });
        break;
      default:
        // A newer proxy may send unknown messages; it sends none unasked that the browser has to understand.
        break;
    }
  }

  #draw(data: Uint8Array<ArrayBuffer>): void {
    if (this.#pictureNext !== null) {
      this.#received = this.#pictureNext.offset;
      this.#drawn = this.#received;
      this.#acknowledged = Math.min(this.#acknowledged, this.#received);
      this.#pictureNext = null;
      this.#options.listener.output(data, () => undefined);
      return;
    }
    this.#received += data.length;
    const total = this.#received;
    this.#options.listener.output(data, () => {
      this.#drawn = Math.max(this.#drawn, total);
      if (this.#drawn - this.#acknowledged >= ACK_EVERY_BYTES || this.#drawn === this.#received) {
        this.#acknowledged = this.#drawn;
        this.#say({ type: 'ack', received: this.#drawn });
      }
    });
  }

  #tellPaste(): void {
    const { unsent } = this.#input;
    const steps = unsent < PASTE_STEP_BYTES ? 0 : Math.ceil(unsent / PASTE_STEP_BYTES);
    if (steps * PASTE_STEP_BYTES === this.#pasting) return;
    this.#pasting = steps * PASTE_STEP_BYTES;
    this.#options.listener.pasting(this.#pasting);
  }

  #up(): void {
    this.#lostAt = null;
    this.#pauseMs = FIRST_PAUSE_MS;
    this.#options.listener.status('open', '');
  }

  #lost(): void {
    this.#stopTimers();
    this.#socket = null;
    this.#input.lost();
    if (this.#over) return;
    if (this.#session === null) {
      this.#end({ reason: 'connection_lost', message: '', exitStatus: null });
      return;
    }
    this.#lostAt ??= Date.now();
    if (Date.now() - this.#lostAt > RESUME_FOR_MS) {
      this.#end({ reason: 'connection_lost', message: '', exitStatus: null });
      return;
    }
    this.#options.listener.status('reconnecting', '');
    this.#retry = setTimeout(() => this.#open(), this.#pauseMs);
    this.#pauseMs = Math.min(this.#pauseMs * 2, LONGEST_PAUSE_MS);
  }

  #end(end: EndedSession): void {
    if (this.#over) return;
    this.#finish();
    this.#options.listener.status('ended', end.reason);
    this.#options.listener.ended(end);
  }

  #finish(): void {
    this.#over = true;
    this.#input.close();
    this.#tellPaste();
    this.#stopTimers();
    this.#socket?.close();
    this.#socket = null;
  }

  #startHeartbeat(): void {
    this.#heartbeat = setInterval(() => {
      if (Date.now() - this.#lastFrameAt > SILENCE_LIMIT_MS) {
        const silent = this.#socket;
        this.#lost();
        silent?.close();
        return;
      }
      this.#say({ type: 'ping', t: performance.now() });
    }, PING_EVERY_MS);
  }

  #stopTimers(): void {
    if (this.#retry !== null) clearTimeout(this.#retry);
    if (this.#heartbeat !== null) clearInterval(this.#heartbeat);
    this.#retry = null;
    this.#heartbeat = null;
  }
}
