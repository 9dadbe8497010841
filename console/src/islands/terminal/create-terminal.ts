import '@xterm/xterm/css/xterm.css';
import { FitAddon } from '@xterm/addon-fit';
import { SearchAddon } from '@xterm/addon-search';
import { Unicode11Addon } from '@xterm/addon-unicode11';
import { WebLinksAddon } from '@xterm/addon-web-links';
import { WebglAddon } from '@xterm/addon-webgl';
import { Terminal, type ITheme } from '@xterm/xterm';
import { styleSafeDocument, withStyleStandIns } from './style-document';

export interface TerminalOptions {
  readonly fontSize: number;
  /** False for replay and watching: no key input, and no answers to the target's queries. */
  readonly interactive: boolean;
  readonly scrollback?: number;
  readonly screenReader?: boolean;
  readonly columns?: number;
  readonly rows?: number;
}

export interface TerminalHandle {
  readonly terminal: Terminal;
  readonly search: SearchAddon;
  /** Number of cells that fit into the host element; null while it has no size. */
  readonly proposed: () => { columns: number; rows: number } | null;
  readonly dispose: () => void;
}

function token(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

/** The terminal's palette is one dark palette in both themes (tokens.css). */
export function terminalTheme(): ITheme {
  const hue = (name: string): string => token(`--term-${name}`);
  return {
    background: hue('bg'),
    foreground: hue('fg'),
    cursor: hue('cursor'),
    cursorAccent: hue('bg'),
    selectionBackground: hue('select'),
    black: hue('black'),
    red: hue('red'),
    green: hue('green'),
    yellow: hue('yellow'),
    blue: hue('blue'),
    magenta: hue('magenta'),
    cyan: hue('cyan'),
    white: hue('white'),
    brightBlack: hue('dim'),
    brightRed: hue('red'),
    brightGreen: hue('green'),
    brightYellow: hue('yellow'),
    brightBlue: hue('blue'),
    brightMagenta: hue('magenta'),
    brightCyan: hue('cyan'),
    brightWhite: hue('white'),
  };
}

function openLink(event: MouseEvent, address: string): void {
  // The target writes this text: only a deliberate click opens a link, only http and https, and without an opener
  // reference.
  if (!(event.ctrlKey || event.metaKey) || !/^https?:\/\//i.test(address)) return;
  window.open(address, '_blank', 'noopener,noreferrer');
}

/** An xterm in `host`, with Unicode 11 widths (the recorder uses the same) and the fastest renderer that works. */
export function createTerminal(host: HTMLElement, options: TerminalOptions): TerminalHandle {
  const terminal = new Terminal({
    // Needed by the unicode11 add-on; no other proposed API is used.
    allowProposedApi: true,
    documentOverride: styleSafeDocument(),
    fontFamily: token('--font-mono'),
    fontSize: options.fontSize,
    lineHeight: 1.3,
    theme: terminalTheme(),
    scrollback: options.scrollback ?? 5_000,
    cursorBlink: options.interactive,
    cursorInactiveStyle: options.interactive ? 'outline' : 'none',
    disableStdin: !options.interactive,
    screenReaderMode: options.screenReader ?? false,
    macOptionIsMeta: true,
    rightClickSelectsWord: false,
    linkHandler: { activate: openLink, allowNonHttpProtocols: false },
    ...(options.columns !== undefined && options.rows !== undefined
      ? { cols: options.columns, rows: options.rows }
      : {}),
  });
  const fit = new FitAddon();
  const search = new SearchAddon();
  terminal.loadAddon(fit);
  terminal.loadAddon(search);
  terminal.loadAddon(new Unicode11Addon());
  terminal.unicode.activeVersion = '11';
  if (options.interactive) terminal.loadAddon(new WebLinksAddon(openLink));
  withStyleStandIns(() => terminal.open(host));
  loadFastRenderer(terminal);
  return {
    terminal,
    search,
    proposed: () => {
      const cells = fit.proposeDimensions();
      if (cells === undefined || !Number.isFinite(cells.cols) || !Number.isFinite(cells.rows)) return null;
      return {
        columns: Math.min(1000, Math.max(2, cells.cols)),
        rows: Math.min(1000, Math.max(1, cells.rows)),
      };
    },
    dispose: () => terminal.dispose(),
  };
}

function loadFastRenderer(terminal: Terminal): void {
  try {
    const webgl = new WebglAddon();
    // Browsers discard WebGL contexts when there are many; xterm then renders with DOM elements.
    webgl.onContextLoss(() => webgl.dispose());
    terminal.loadAddon(webgl);
  } catch {
    // WebGL is not available; the DOM renderer remains.
  }
}
