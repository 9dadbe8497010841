import { explain } from '#/lib/http/catalogue';
import { type FieldErrors, fieldErrors, HttpError, ValidationError } from '#/lib/http/errors';
import type { RowProblem } from './import-row';

/** Keys of errors without a field. */
const WHOLE_ROW = new Set(['non_field_errors', '__all__']);
const LIST_PLACE = /^\d+$/;

function* leaves(
  errors: FieldErrors,
  path: readonly string[],
): Generator<readonly [readonly string[], string]> {
  for (const [key, value] of Object.entries(errors)) {
    const here = WHOLE_ROW.has(key) ? path : [...path, key];
    if (typeof value === 'string') yield [here, value];
    else yield* leaves(value, here);
  }
}

/** `Protocols #2` for an item of a list, `Meta.port` for a nested field. */
function columnText(path: readonly string[], labels: ReadonlyMap<string, string>): string {
  return path.reduce((text, step, depth) => {
    if (depth === 0) return labels.get(step) ?? step;
    return LIST_PLACE.test(step) ? `${text} #${Number(step) + 1}` : `${text}.${step}`;
  }, '');
}

/** A field and its label. */
export interface NamedField {
  readonly field: string;
  readonly label: string;
}

/** The messages of an error map (nested maps and lists included), each as “column: message”. */
export function fieldProblems(body: unknown, columns: readonly NamedField[]): readonly RowProblem[] {
  const labels = new Map(columns.map(({ field, label }) => [field, label]));
  return [...leaves(fieldErrors(body), [])]
    .filter(([, message]) => message !== '')
    .map(([path, message]) =>
      path.length === 0
        ? { field: null, text: message }
        : { field: path[0] ?? null, text: `${columnText(path, labels)}: ${message}` },
    );
}

/** Why a row was rejected: the server's field errors as “column: message”, else its message or the catalogue's. */
export function rowProblems(error: unknown, columns: readonly NamedField[]): readonly RowProblem[] {
  if (error instanceof ValidationError) {
    const problems = fieldProblems(error.body, columns);
    if (problems.length > 0) return problems;
  }
  if (error instanceof HttpError && Array.isArray(error.body)) {
    const words = error.body.filter((item): item is string => typeof item === 'string');
    if (words.length > 0) return words.map((text) => ({ field: null, text }));
  }
  return [{ field: null, text: explain(error) }];
}

const SENTENCE_END = /[.。!！?？]$/;

/** All problems of a row in one line. Sentences follow each other; what does not end like one gets a semicolon. */
export function asOneLine(problems: readonly RowProblem[]): string {
  return problems
    .map(({ text }, number) =>
      number === problems.length - 1 || SENTENCE_END.test(text) ? text : `${text};`,
    )
    .join(' ');
}
