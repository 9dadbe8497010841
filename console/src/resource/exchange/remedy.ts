import type { FieldMap } from '../api';
import { cellText, type ImportRow, type Remedy } from './import-row';

/** Maximum edit distance: corrects typos, not other words. */
const MAX_DISTANCE = 2;

/** Edit distance: characters to insert, delete or replace to turn one text into the other. */
export function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row += 1) {
    const next = [row];
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1];
      next.push(
        Math.min(
          (previous[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (previous[column - 1] ?? 0) + (same ? 0 : 1),
        ),
      );
    }
    previous = next;
  }
  return previous[to.length] ?? 0;
}

/** The choice that a failed cell probably means: `Linnux` → `Linux`, or the label where the value is required. */
export function remedyFor(row: ImportRow, fields: FieldMap): Remedy | null {
  for (const { field } of row.problems) {
    const choices = field === null ? undefined : fields[field]?.choices;
    if (field === null || choices === undefined) continue;
    const typed = cellText(row.values[field]).trim().toLowerCase();
    if (typed === '') continue;
    let best: { readonly distance: number; readonly remedy: Remedy } | null = null;
    for (const { value, display_name: label } of choices) {
      const distance = Math.min(
        editDistance(typed, String(value).toLowerCase()),
        editDistance(typed, label.toLowerCase()),
      );
      // Short words allow no typo: “ssh” is not “rdp”.
      if (
        distance <= Math.min(MAX_DISTANCE, Math.floor(typed.length / 3)) &&
        distance < (best?.distance ?? 9)
      )
        best = { distance, remedy: { field, value: String(value), label } };
    }
    if (best && cellText(row.values[field]) !== best.remedy.value) return best.remedy;
  }
  return null;
}
