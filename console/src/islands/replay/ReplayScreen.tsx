import { useEffect, useEffectEvent, useRef } from 'react';
import { fitFont } from '../terminal/fit-font';
import { createTerminal } from '../terminal/create-terminal';
import type { Recording } from './container';
import { ReplayPlayer } from './player';

const PROBE_FONT_PX = 12;

/** Draws a recording; the font shrinks until the recorded width fits, because a replay must not wrap differently. */
export function ReplayScreen({
  recording,
  startMs,
  onPlayer,
}: {
  readonly recording: Recording;
  readonly startMs: number;
  readonly onPlayer: (player: ReplayPlayer | null) => void;
}) {
  const host = useRef<HTMLDivElement>(null);
  const tell = useEffectEvent(onPlayer);
  const begin = useEffectEvent((player: ReplayPlayer) => player.seek(startMs));

  useEffect(() => {
    const element = host.current;
    if (!element) return undefined;
    const { header } = recording;
    const handle = createTerminal(element, {
      fontSize: PROBE_FONT_PX,
      interactive: false,
      scrollback: 0,
      columns: header.columns,
      rows: header.rows,
    });
    const xterm = handle.terminal;
    const fit = (): void => fitFont(handle);
    const player = new ReplayPlayer(
      recording,
      {
        reset: () => xterm.reset(),
        resize: (columns, rows) => {
          xterm.resize(columns, rows);
          fit();
        },
        write: (data) => xterm.write(data),
      },
      {
        now: () => performance.now(),
        request: (callback) => requestAnimationFrame(callback),
        cancel: (frame) => cancelAnimationFrame(frame),
      },
    );
    const observer = new ResizeObserver(fit);
    observer.observe(element);
    tell(player);
    void begin(player);
    return () => {
      observer.disconnect();
      player.dispose();
      handle.dispose();
      tell(null);
    };
  }, [recording]);

  return <div ref={host} className="pt-terminal h-full min-h-0 w-full min-w-0 overflow-hidden bg-term-bg" />;
}
