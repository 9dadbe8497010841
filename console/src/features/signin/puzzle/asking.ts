import { http } from '#/lib/http/client';
import { HttpError } from '#/lib/http/errors';
import { translate } from '#/lib/i18n';
import { type Puzzle, PuzzleProblem, type Solution } from './puzzle';

/** Told `true` when solving takes longer than a moment, and `false` when it is over. */
export type OnChecking = (checking: boolean) => void;

/** Shorter work is not mentioned: a text that comes and goes at once only worries people. */
const MOMENT_MS = 400;

function puzzleOf(error: unknown): Puzzle | null {
  const body = error instanceof HttpError ? error.body : null;
  const { error: slug, puzzle } = (body ?? {}) as { error?: unknown; puzzle?: Puzzle };
  return slug === 'puzzle_required' && puzzle !== undefined ? puzzle : null;
}

async function solved(puzzle: Puzzle, onChecking: OnChecking): Promise<Solution> {
  const timer = setTimeout(onChecking, MOMENT_MS, true);
  try {
    // Loaded on demand: few visits of the page need it.
    const { solve } = await import('./solve').catch(() => {
      throw new PuzzleProblem(translate('signin:puzzle.failed'));
    });
    return await solve(puzzle);
  } finally {
    clearTimeout(timer);
    onChecking(false);
  }
}

/** Sends a request; if the answer is a puzzle, solves it and sends the request again with the solution. */
export async function postSolving<T>(path: string, body: object, onChecking: OnChecking): Promise<T> {
  try {
    return await http.post<T>(path, body, { quiet: true });
  } catch (error) {
    const puzzle = puzzleOf(error);
    if (puzzle === null) throw error;
    return http.post<T>(path, { ...body, puzzle: await solved(puzzle, onChecking) }, { quiet: true });
  }
}
