import { useEffect, useEffectEvent, useImperativeHandle, useRef, type Ref } from 'react';
import { copyText } from '#/ui/clipboard';
import { LiveConnection, type ConnectionListener, type ConnectionOptions } from './connection';
import { createTerminal, type TerminalHandle } from './create-terminal';
import { fitFont } from './fit-font';

export interface LiveTerminalHandle {
  focus: () => void;
  findNext: (text: string) => boolean;
  findPrevious: (text: string) => boolean;
  clearSearch: () => void;
  selection: () => string;
  paste: (text: string) => void;
  answer: (promptId: number, value: string) => void;
  /** Ends the session. */
  close: () => void;
}

/** Callbacks to the page; the component itself draws the terminal. */
export type LiveTerminalEvents = Omit<ConnectionListener, 'output' | 'screen' | 'resized'>;

export interface LiveTerminalProps {
  readonly path: string;
  readonly token: string;
  readonly mode: 'open' | 'watch';
  readonly fontSize: number;
  readonly screenReader?: boolean;
  readonly label: string;
  readonly events: LiveTerminalEvents;
  readonly ref?: Ref<LiveTerminalHandle>;
}

const NO_SIZE = { columns: 80, rows: 24 };

/** Keys that move the focus out of the terminal: the documented exit from the focus trap. */
function isEscapeChord(event: KeyboardEvent): boolean {
  return event.key === 'Escape' && event.ctrlKey && event.shiftKey;
}

/** Copying takes Shift as well (or Ctrl-Insert), because Ctrl-C interrupts the program on the host. */
function isCopyChord(event: KeyboardEvent): boolean {
  return (
    event.ctrlKey && !event.altKey && ((event.shiftKey && event.code === 'KeyC') || event.key === 'Insert')
  );
}

function isPasteChord(event: KeyboardEvent): boolean {
  return event.ctrlKey && event.shiftKey && !event.altKey && event.code === 'KeyV';
}

/** A live session in an xterm. The session ends when the component is unmounted. */
export function LiveTerminal({
  path,
  token,
  mode,
  fontSize,
  screenReader = false,
  label,
  events,
  ref,
}: LiveTerminalProps) {
  const host = useRef<HTMLDivElement>(null);
  const terminal = useRef<TerminalHandle>(null);
  const connection = useRef<LiveConnection>(null);

  const listener = useEffectEvent(() => events);
  const start = useEffectEvent(
    (element: HTMLElement, path: string, token: string, mode: 'open' | 'watch') => {
      const handle = createTerminal(element, { fontSize, interactive: mode === 'open', screenReader });
      const xterm = handle.terminal;
      xterm.textarea?.setAttribute('aria-label', label);
      const cells = handle.proposed() ?? NO_SIZE;
      if (mode === 'open') xterm.resize(cells.columns, cells.rows);
      const options: ConnectionOptions = {
        path,
        first:
          mode === 'open'
            ? { type: 'open', token, columns: xterm.cols, rows: xterm.rows }
            : { type: 'watch', token },
        listener: {
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
        },
      };
      const live = new LiveConnection(options);
      if (mode === 'open') {
        xterm.onData((text) => live.send(text));
        xterm.onBinary((text) => live.sendBytes(Uint8Array.from(text, (byte) => byte.charCodeAt(0))));
        xterm.onResize(({ cols, rows }) => live.resize(cols, rows));
      }
      xterm.attachCustomKeyEventHandler((event) => {
        if (isCopyChord(event)) {
          if (event.type === 'keydown' && xterm.hasSelection()) {
            event.preventDefault();
            void copyText(xterm.getSelection());
          }
          return false;
        }
        // Left to the browser, which then pastes into the terminal.
        if (isPasteChord(event)) return false;
        if (!isEscapeChord(event)) return true;
        if (event.type === 'keydown') element.closest<HTMLElement>('[data-terminal-exit]')?.focus();
        return false;
      });
      // Otherwise the browser also fills the hidden input field; megabytes on one line freeze the page.
      element.addEventListener(
        'paste',
        (event) => {
          event.preventDefault();
          event.stopPropagation();
          if (mode === 'open') xterm.paste(event.clipboardData?.getData('text/plain') ?? '');
        },
        { capture: true },
      );
      terminal.current = handle;
      connection.current = live;
      live.connect();
    },
  );

  useEffect(() => {
    const element = host.current;
    if (!element) return undefined;
    start(element, path, token, mode);
    const fit = (): void => {
      const handle = terminal.current;
      if (!handle) return;
      // The owner's terminal determines the size of a watched session; only the font can adapt to the window.
      if (mode === 'watch') {
        fitFont(handle);
        return;
      }
      const cells = handle.proposed();
      if (cells) handle.terminal.resize(cells.columns, cells.rows);
    };
    const observer = new ResizeObserver(fit);
    observer.observe(element);
    return () => {
      observer.disconnect();
      connection.current?.dispose();
      terminal.current?.dispose();
      connection.current = null;
      terminal.current = null;
    };
  }, [path, token, mode]);

  useEffect(() => {
    const handle = terminal.current;
    if (!handle) return;
    if (mode === 'open') handle.terminal.options.fontSize = fontSize;
    handle.terminal.options.screenReaderMode = screenReader;
    const cells = handle.proposed();
    if (mode === 'open' && cells) handle.terminal.resize(cells.columns, cells.rows);
  }, [fontSize, screenReader, mode]);

  useImperativeHandle(
    ref,
    () => ({
      focus: () => terminal.current?.terminal.focus(),
      findNext: (text) => terminal.current?.search.findNext(text, { incremental: true }) ?? false,
      findPrevious: (text) => terminal.current?.search.findPrevious(text) ?? false,
      clearSearch: () => terminal.current?.search.clearDecorations(),
      selection: () => terminal.current?.terminal.getSelection() ?? '',
      paste: (text) => terminal.current?.terminal.paste(text),
      answer: (promptId, value) => connection.current?.answer(promptId, value),
      close: () => connection.current?.close(),
    }),
    [],
  );

  return <div ref={host} className="pt-terminal h-full min-h-0 w-full min-w-0 overflow-hidden bg-term-bg" />;
}
