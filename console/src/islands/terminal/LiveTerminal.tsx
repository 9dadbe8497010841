import { useEffect, useEffectEvent, useImperativeHandle, useRef, type Ref } from 'react';
import {
  fitToElement,
  type LiveSession,
  type LiveTerminalEvents,
  setAppearance,
  startLiveSession,
} from './live-session';

export type { LiveTerminalEvents } from './live-session';

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
  const live = useRef<LiveSession>(null);

  const listener = useEffectEvent(() => events);
  const start = useEffectEvent((element: HTMLElement, path: string, token: string, mode: 'open' | 'watch') =>
    startLiveSession(element, {
      path,
      token,
      mode,
      fontSize,
      screenReader,
      label,
      listener: () => listener(),
    }),
  );

  useEffect(() => {
    const element = host.current;
    if (!element) return undefined;
    const session = start(element, path, token, mode);
    live.current = session;
    const observer = new ResizeObserver(() => fitToElement(session.handle, mode));
    observer.observe(element);
    return () => {
      observer.disconnect();
      session.connection.dispose();
      session.handle.dispose();
      live.current = null;
    };
  }, [path, token, mode]);

  useEffect(() => {
    if (live.current) setAppearance(live.current.handle, mode, fontSize, screenReader);
  }, [fontSize, screenReader, mode]);

  useImperativeHandle(
    ref,
    () => ({
      focus: () => live.current?.handle.terminal.focus(),
      findNext: (text) => live.current?.handle.search.findNext(text, { incremental: true }) ?? false,
      findPrevious: (text) => live.current?.handle.search.findPrevious(text) ?? false,
      clearSearch: () => live.current?.handle.search.clearDecorations(),
      selection: () => live.current?.handle.terminal.getSelection() ?? '',
      paste: (text) => live.current?.handle.terminal.paste(text),
      answer: (promptId, value) => live.current?.connection.answer(promptId, value),
      close: () => live.current?.connection.close(),
    }),
    [],
  );

  return <div ref={host} className="pt-terminal h-full min-h-0 w-full min-w-0 overflow-hidden bg-term-bg" />;
}
