import type { Api } from '#/lib/api-types';
import { explain } from '#/lib/http/catalogue';
import { http } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import type { ImportRow, RowProblem } from './import-row';
import { fieldProblems } from './row-problems';
import { idOf, type SaveTarget } from './save-row';
import type { Verdict } from './import-check';

type CheckedRow = Api<'CheckedRow'>;

/** Errors of values that another object has: named, so that people know which object it is. */
function takenProblems(
  problems: readonly RowProblem[],
  name: string,
  columns: SaveTarget['columns'],
): readonly RowProblem[] {
  return problems.map(({ field }) => {
    const column = columns.find((candidate) => candidate.field === field)?.label ?? field ?? '';
    return { field, text: translate('exchange:check.taken', { column, name }) };
  });
}

function verdictOf(answer: CheckedRow, columns: SaveTarget['columns']): Verdict {
  const unique = (answer.unique ?? []).map(({ fields, value }) => ({ fields, value }));
  if (answer.outcome === 'refused') {
    const problems = fieldProblems(answer.errors ?? {}, columns);
    const taken = answer.taken_by;
    return {
      problems: taken ? takenProblems(problems, taken.name, columns) : problems,
      remedies: answer.corrections ?? [],
      takenBy: taken ?? null,
      forecast: null,
      unique,
    };
  }
  const changes = Object.entries(answer.changes ?? {}).map(([field, change]) => ({
    field,
    before: change.before,
    after: change.after,
    isSecret: change.is_secret === true,
  }));
  return {
    problems: [],
    remedies: [],
    takenBy: null,
    forecast: { outcome: answer.outcome, changes },
    unique,
  };
}

/** The object that a row updates; null for a row that creates one, undefined when it should name one and does not. */
export function updatedId({ mode }: SaveTarget, row: ImportRow): string | number | null | undefined {
  if (row.target) return row.target.id;
  if (mode === 'create') return null;
  const id = idOf(row.values);
  return id === null || id === '' ? undefined : id;
}

/** A result for each row, or the reason why no row can be checked now. */
export type Checked = { readonly verdicts: readonly Verdict[] } | { readonly halted: string };

/** Has the server try to write the rows and undo it. All rows create objects, or all rows change one. */
export async function checkRows(target: SaveTarget, rows: readonly ImportRow[]): Promise<Checked> {
  const isUpdate = rows.some((row) => updatedId(target, row) !== null);
  try {
    const answers = isUpdate
      ? await http.put<readonly CheckedRow[]>(
          target.api,
          rows.map((row) => ({ ...row.values, id: updatedId(target, row) })),
          { quiet: true, query: { dry_run: '1' } },
        )
      : await http.post<readonly CheckedRow[]>(
          target.api,
          rows.map((row) => row.values),
          { quiet: true, query: { ...target.query, dry_run: '1' } },
        );
    return { verdicts: answers.map((answer) => verdictOf(answer, target.columns)) };
  } catch (error) {
    // Whatever it is, it concerns all rows: the errors of a row are in the answer.
    return { halted: explain(error) };
  }
}
