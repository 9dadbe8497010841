/** What is selected in a list, by id. The cursor is where the keyboard is. */
export interface Selection {
  readonly cursor: string | null;
  /** Where a range starts. */
  readonly anchor: string | null;
  readonly chosen: ReadonlySet<string>;
}

export const NOTHING: Selection = { cursor: null, anchor: null, chosen: new Set() };

/** `only` selects the row, `range` all from the anchor to it, `cursor` moves alone, `toggle` turns the row over. */
export type How = 'only' | 'range' | 'cursor' | 'toggle';

export function select(selection: Selection, ids: readonly string[], at: number, how: How): Selection {
  const id = ids[Math.max(0, Math.min(ids.length - 1, at))];
  if (id === undefined) return selection;
  if (how === 'cursor') return { ...selection, cursor: id };
  if (how === 'toggle') {
    const chosen = new Set(selection.chosen);
    if (!chosen.delete(id)) chosen.add(id);
    return { cursor: id, anchor: id, chosen };
  }
  const start = how === 'range' && selection.anchor !== null ? ids.indexOf(selection.anchor) : -1;
  if (start < 0) return { cursor: id, anchor: id, chosen: new Set([id]) };
  const end = ids.indexOf(id);
  const range = ids.slice(Math.min(start, end), Math.max(start, end) + 1);
  return { cursor: id, anchor: selection.anchor, chosen: new Set(range) };
}

export function selectAll(selection: Selection, ids: readonly string[]): Selection {
  return { ...selection, chosen: new Set(ids) };
}

/** Keeps what is still there. */
export function keep(selection: Selection, ids: readonly string[]): Selection {
  if (selection.chosen.size === 0 && selection.cursor === null) return selection;
  const there = new Set(ids);
  const has = (id: string | null): string | null => (id !== null && there.has(id) ? id : null);
  return {
    cursor: has(selection.cursor),
    anchor: has(selection.anchor),
    chosen: new Set([...selection.chosen].filter((id) => there.has(id))),
  };
}

/** The next row whose name begins with the typed text, after `from`, else from the top; -1 if there is none. */
export function beginningWith(names: readonly string[], from: number, typed: string): number {
  const text = typed.toLocaleLowerCase();
  // A longer text may still mean the row of the cursor, a single letter means the next one.
  const first = typed.length > 1 ? Math.max(0, from) : from + 1;
  for (let step = 0; step < names.length; step += 1) {
    const at = (first + step) % names.length;
    if (names[at]?.toLocaleLowerCase().startsWith(text)) return at;
  }
  return -1;
}
