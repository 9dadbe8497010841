/** What one row of an import file holds and how it stands. */

export type RowState = 'pending' | 'ok' | 'error';

export type RowValues = Readonly<Record<string, unknown>>;

/** One thing that the server did not accept. */
export interface RowProblem {
  /** Column that it belongs to; null when it concerns the whole row. */
  readonly field: string | null;
  /** `column: message`, or the bare message when it concerns the whole row. */
  readonly text: string;
}

export interface ImportRow {
  /** Place in the file, from 1; heading and empty lines do not count. */
  readonly number: number;
  readonly values: RowValues;
  readonly state: RowState;
  /** Why it failed; empty unless `state` is `error`. */
  readonly problems: readonly RowProblem[];
  /** Object that the row has become. A row that is edited afterwards changes that object and does not make a second. */
  readonly savedId: string | number | null;
  /** Changed by hand and not saved since. */
  readonly requeued: boolean;
}

export interface ImportColumn {
  readonly field: string;
  /** Heading without its star. */
  readonly label: string;
  readonly required: boolean;
  /** Heading as it stands in the file. */
  readonly heading: string;
}

/** Answer of `render-to-json`: pairs of heading and field (`''` for a heading that no field has), and a map for each row. */
export interface RenderedFile {
  readonly title: readonly (readonly [heading: string, field: string])[];
  readonly data: readonly RowValues[];
}

/** The columns that belong to a field, each field once, and the headings that belong to none. */
export function columnsOf(title: RenderedFile['title']): {
  readonly columns: readonly ImportColumn[];
  readonly unknown: readonly string[];
} {
  const columns = new Map<string, ImportColumn>();
  const unknown: string[] = [];
  for (const [heading, field] of title) {
    if (field === '' || columns.has(field)) {
      if (heading.trim() !== '') unknown.push(heading);
      continue;
    }
    columns.set(field, {
      field,
      label: heading.replace(/^\s*\*\s*/, '') || field,
      required: heading.trimStart().startsWith('*'),
      heading,
    });
  }
  return { columns: [...columns.values()], unknown };
}

export function rowsOf(data: RenderedFile['data']): ImportRow[] {
  return data.map((values, index) => ({
    number: index + 1,
    values,
    state: 'pending',
    problems: [],
    savedId: null,
    requeued: false,
  }));
}

/** Between the items of a list that is written as text; the server splits at the same. */
const SEPARATORS = /[,;，；、\n]/u;

function itemsOf(text: string): readonly string[] {
  return text
    .split(SEPARATORS)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** A value as it is read and typed in a cell: `ssh/22, sftp/22` for a list of texts. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value) && value.every((item) => typeof item === 'string' && !SEPARATORS.test(item)))
    return value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * Typed text is parsed as JSON when possible, otherwise kept as it is. Numbers that would not read the same again
 * (`1.50`, twenty digits) stay text: a serial number must not be rounded.
 */
export function parseCell(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text) as unknown;
  } catch {
    return text;
  }
  return typeof value === 'number' && String(value) !== text.trim() ? text : value;
}

/** What was a list stays one, however its items are written now. */
function parseLike(before: unknown, text: string): unknown {
  const value = parseCell(text);
  return Array.isArray(before) && typeof value === 'string' ? itemsOf(value) : value;
}

/** The row after a cell was changed: to be imported again. Emptied cells are left out, as the server leaves out empty ones. */
export function editRow(row: ImportRow, field: string, text: string): ImportRow {
  if (text === cellText(row.values[field])) return row;
  const values = { ...row.values };
  if (text.trim() === '') delete values[field];
  else values[field] = parseLike(row.values[field], text);
  return { ...row, values, state: 'pending', problems: [], requeued: true };
}

const MIN_WIDTH_PX = 100;
const MAX_WIDTH_PX = 180;
/** Advance of the body font for Latin and for Chinese signs, and the cell's padding on both sides. */
const CHARACTER_PX = 8;
const WIDE_PX = 13;
const PADDING_PX = 20;

function textWidth(text: string): number {
  let width = PADDING_PX;
  for (const sign of text.slice(0, MAX_WIDTH_PX)) width += sign > '\u2E7F' ? WIDE_PX : CHARACTER_PX;
  return width;
}

/** Width of a column of the import table: as wide as its texts, but 100 to 180 px. */
export function columnWidth(label: string, values: readonly unknown[]): number {
  const widest = values.reduce<number>(
    (most, value) => Math.max(most, textWidth(cellText(value))),
    textWidth(label),
  );
  return Math.min(MAX_WIDTH_PX, Math.max(MIN_WIDTH_PX, widest));
}
