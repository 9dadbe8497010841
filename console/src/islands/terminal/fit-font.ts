import type { TerminalHandle } from './create-terminal';

/** Below this nobody reads; above it a small screen would look like a poster. */
const SMALLEST_FONT_PX = 6;
const LARGEST_FONT_PX = 15;

/**
 * The font size at which a screen of this size fills its box, in whole pixels; `proposed` is what the box holds at the present font.
 * For screens whose size another terminal decides: replays, and sessions that are watched.
 */
export function fittingFont(
  now: number,
  screen: { readonly columns: number; readonly rows: number },
  proposed: { readonly columns: number; readonly rows: number },
): number {
  const scale = Math.min(proposed.columns / screen.columns, proposed.rows / screen.rows);
  return Math.floor(Math.min(LARGEST_FONT_PX, Math.max(SMALLEST_FONT_PX, now * scale)));
}

/** Gives the terminal the font at which its whole screen is seen. */
export function fitFont({ terminal, proposed }: TerminalHandle): void {
  const cells = proposed();
  const now = terminal.options.fontSize;
  if (!cells || now === undefined) return;
  const wanted = fittingFont(now, { columns: terminal.cols, rows: terminal.rows }, cells);
  if (wanted !== now) terminal.options.fontSize = wanted;
}
