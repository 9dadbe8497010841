import { useEffect, useEffectEvent, useImperativeHandle, useRef, type Ref } from 'react';
import { createTerminal, type TerminalHandle } from './create-terminal';
import { followLog, type LogListener } from './log-socket';

const FONT_PX = 13;
/** Lines that stay in the browser; the whole log can be downloaded. */
const KEPT_LINES = 20_000;

export interface LogTerminalHandle {
  findNext: (text: string) => boolean;
  findPrevious: (text: string) => boolean;
  /** Shows the newest line, and from then on each new line. */
  follow: () => void;
}

export interface LogTerminalProps {
  readonly job: string;
  readonly label: string;
  readonly onState: LogListener['state'];
  readonly ref?: Ref<LogTerminalHandle>;
}

/** The log of a job, with its colours, as it grows. Scrolling up stops following. */
export function LogTerminal({ job, label, onState, ref }: LogTerminalProps) {
  const host = useRef<HTMLDivElement>(null);
  const terminal = useRef<TerminalHandle>(null);
  const tell = useEffectEvent(onState);
  const name = useEffectEvent((element: HTMLElement | undefined) =>
    element?.setAttribute('aria-label', label),
  );

  useEffect(() => {
    const element = host.current;
    if (!element) return undefined;
    const handle = createTerminal(element, {
      fontSize: FONT_PX,
      interactive: false,
      scrollback: KEPT_LINES,
      screenReader: true,
    });
    terminal.current = handle;
    name(handle.terminal.textarea);
    const fit = (): void => {
      const cells = handle.proposed();
      if (cells) handle.terminal.resize(cells.columns, cells.rows);
    };
    fit();
    const observer = new ResizeObserver(fit);
    observer.observe(element);
    const stop = followLog(job, { text: (text) => handle.terminal.write(text), state: tell });
    return () => {
      stop();
      observer.disconnect();
      handle.dispose();
      terminal.current = null;
    };
  }, [job]);

  useImperativeHandle(
    ref,
    () => ({
      findNext: (text) => terminal.current?.search.findNext(text, { incremental: true }) ?? false,
      findPrevious: (text) => terminal.current?.search.findPrevious(text) ?? false,
      follow: () => terminal.current?.terminal.scrollToBottom(),
    }),
    [],
  );

  return <div ref={host} className="pt-terminal h-full min-h-0 w-full min-w-0 overflow-hidden bg-term-bg" />;
}
