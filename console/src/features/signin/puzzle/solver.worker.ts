import type { Puzzle } from './puzzle';
import { deriveNatively, loadScriptedDerive, search } from './search';

/** The share of one worker: the numbers `start`, `start + step` … */
export interface Share {
  readonly puzzle: Puzzle;
  readonly start: number;
  readonly step: number;
}

async function work({ puzzle, start, step }: Share): Promise<number | null> {
  const derive = isSecureContext ? deriveNatively : await loadScriptedDerive();
  return search(puzzle, start, step, derive);
}

addEventListener('message', (event: MessageEvent<Share>) => {
  // A failure must be an error event, which a rejected promise is not in a worker.
  work(event.data).then(
    (number) => postMessage(number),
    (error: unknown) => reportError(error),
  );
});
