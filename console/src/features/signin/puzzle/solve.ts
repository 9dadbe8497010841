import { translate } from '#/lib/i18n';
import { type Puzzle, PuzzleProblem, type Solution } from './puzzle';
import type { Share } from './solver.worker';
// oxlint-disable-next-line import/default -- the bundler makes this module of the file
import workerUrl from './solver.worker?worker&url';

/** Far more than a slow phone needs. */
const PATIENCE_MS = 120_000;
const MOST_WORKERS = 4;

interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: () => string },
  ): { createScriptURL: (text: string) => string };
}

/** The address of the worker as the content security policy wants it. Our policy gives no other address. */
function trustedUrl(): string {
  const { trustedTypes } = globalThis as { trustedTypes?: TrustedTypes };
  return (
    trustedTypes?.createPolicy('puzzle', { createScriptURL: () => workerUrl }).createScriptURL('') ??
    workerUrl
  );
}

const problem = (key: 'failed' | 'unsupported') => new PuzzleProblem(translate(`signin:puzzle.${key}`)); // i18n: signin:puzzle.*

let url: string | null = null;

function startWorkers(): Worker[] {
  // The browser's own code is fast enough alone. Over plain http it is missing, and all cores help.
  const count = isSecureContext ? 1 : Math.min(navigator.hardwareConcurrency || 1, MOST_WORKERS);
  try {
    url ??= trustedUrl();
    return Array.from({ length: count }, () => new Worker(url ?? workerUrl, { type: 'module' }));
  } catch {
    throw problem('unsupported');
  }
}

/** The first number that a worker finds. */
function found(workers: readonly Worker[], puzzle: Puzzle): Promise<number> {
  return new Promise((resolve, reject) => {
    let searching = workers.length;
    for (const [start, worker] of workers.entries()) {
      worker.addEventListener('error', () => reject(problem('failed')));
      worker.addEventListener('message', ({ data }: MessageEvent<number | null>) => {
        searching -= 1;
        if (data !== null) resolve(data);
        else if (searching === 0) reject(problem('failed'));
      });
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- that is for windows
      worker.postMessage({ puzzle, start, step: workers.length } satisfies Share);
    }
    setTimeout(() => reject(problem('failed')), PATIENCE_MS);
  });
}

/** Solves a puzzle outside of the page's thread. Raises PuzzleProblem. */
export async function solve(puzzle: Puzzle): Promise<Solution> {
  const workers = startWorkers();
  try {
    return { token: puzzle.token, number: await found(workers, puzzle) };
  } finally {
    for (const worker of workers) worker.terminate();
  }
}
