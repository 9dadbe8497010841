import type { TerminalHandle } from './create-terminal';

/** Limits of the font size: smaller text is not readable, larger text looks like a poster. */
const SMALLEST_FONT_PX = 6;
const LARGEST_FONT_PX = 15;

/**
 * The font size at which a screen of this size fills its box, in whole pixels. `proposed` is what the box holds at the
 * current font. For screens whose size another terminal determines: replays and watched sessions.
 */
export function fittingFont(
  now: number,
  screen: { readonly columns: number; readonly rows: number },
  proposed: { readonly columns: number; readonly rows: number },
): number {
  const scale = Math.min(proposed.columns / screen.columns, proposed.rows / screen.rows);
  return Math.floor(Math.min(LARGEST_FONT_PX, Math.max(SMALLEST_FONT_PX, now * scale)));
}

/** Sets the font size at which the whole screen is visible. */
export function fitFont({ terminal, proposed }: TerminalHandle): void {
  const cells = proposed();
  const now = terminal.options.fontSize;
  if (!cells || now === undefined) return;
  const fontSize = fittingFont(now, { columns: terminal.cols, rows: terminal.rows }, cells);
  if (fontSize !== now) terminal.options.fontSize = fontSize;
}
