import { LiveConnection, type ConnectionListener } from './connection';
import { createTerminal, type TerminalHandle } from './create-terminal';
import { fitFont } from './fit-font';
import { handleKeys, handlePaste } from './terminal-input';

/** Callbacks to the page; the terminal is drawn here. */
export type LiveTerminalEvents = Omit<ConnectionListener, 'output' | 'screen' | 'resized'>;

export interface LiveSessionOptions {
  readonly path: string;
  readonly token: string;
  readonly mode: 'open' | 'watch';
  readonly fontSize: number;
  readonly screenReader: boolean;
  readonly label: string;
  /** Asked at each event, because the page may have new callbacks. */
  readonly listener: () => LiveTerminalEvents;
}

/** A terminal and the connection to its session. */
export interface LiveSession {
  readonly handle: TerminalHandle;
  readonly connection: LiveConnection;
}

const NO_SIZE = { columns: 80, rows: 24 };

/** Puts a terminal into the element and connects it. Typed text goes to the session only with the mode `open`. */
export function startLiveSession(element: HTMLElement, options: LiveSessionOptions): LiveSession {
  const { path, token, mode, fontSize, screenReader, label, listener } = options;
  const handle = createTerminal(element, { fontSize, interactive: mode === 'open', screenReader });
  const xterm = handle.terminal;
  xterm.textarea?.setAttribute('aria-label', label);
  const cells = handle.proposed() ?? NO_SIZE;
  if (mode === 'open') xterm.resize(cells.columns, cells.rows);
  const connection = new LiveConnection({
    path,
    first:
      mode === 'open'
        ? { type: 'open', token, columns: xterm.cols, rows: xterm.rows }
        : { type: 'watch', token },
    listener: listenerOf(handle, mode, listener),
  });
  if (mode === 'open') {
    xterm.onData((text) => connection.send(text));
    xterm.onBinary((text) => connection.sendBytes(Uint8Array.from(text, (byte) => byte.charCodeAt(0))));
    xterm.onResize(({ cols, rows }) => connection.resize(cols, rows));
  }
  handleKeys(xterm, element);
  handlePaste(xterm, element, mode === 'open');
  connection.connect();
  return { handle, connection };
}

function listenerOf(
  handle: TerminalHandle,
  mode: 'open' | 'watch',
  listener: () => LiveTerminalEvents,
): ConnectionListener {
  const xterm = handle.terminal;
  return {
    output: (data, drawn) => xterm.write(data, drawn),
    screen: (columns, rows) => {
      xterm.reset();
      if (mode !== 'watch') return;
      xterm.resize(columns, rows);
      fitFont(handle);
    },
    resized: (columns, rows) => {
      xterm.resize(columns, rows);
      if (mode === 'watch') fitFont(handle);
    },
    status: (status, detail, via) => listener().status(status, detail, via),
    opened: (session) => listener().opened(session),
    watching: (session) => listener().watching(session),
    prompt: (prompt) => listener().prompt(prompt),
    // Not written into the terminal, where it would overlap the screen of a full-screen program.
    notice: (code, message, actions) => listener().notice(code, message, actions),
    ended: (end) => {
      xterm.options.disableStdin = true;
      xterm.options.cursorBlink = false;
      listener().ended(end);
    },
    latency: (ms) => listener().latency(ms),
    pasting: (bytes) => listener().pasting(bytes),
  };
}

/** Fits the terminal into its element. The owner's terminal determines the size of a watched session; there only the
 * font can adapt to the window. */
export function fitToElement(handle: TerminalHandle, mode: 'open' | 'watch'): void {
  if (mode === 'watch') {
    fitFont(handle);
    return;
  }
  const cells = handle.proposed();
  if (cells) handle.terminal.resize(cells.columns, cells.rows);
}

/** The font of a watched session follows the window instead. */
export function setAppearance(
  handle: TerminalHandle,
  mode: 'open' | 'watch',
  fontSize: number,
  screenReader: boolean,
): void {
  handle.terminal.options.screenReaderMode = screenReader;
  if (mode === 'watch') return;
  handle.terminal.options.fontSize = fontSize;
  fitToElement(handle, mode);
}
