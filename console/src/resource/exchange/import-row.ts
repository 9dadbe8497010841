/** One row of an import file: its values and its state. */

export type RowState = 'pending' | 'ok' | 'error';

export type RowValues = Readonly<Record<string, unknown>>;

/** One error of a row. */
export interface RowProblem {
  /** Column of the error; null when it concerns the whole row. */
  readonly field: string | null;
  /** `column: message`, or only the message when it concerns the whole row. */
  readonly text: string;
}

/** A value of an update, before and after. */
export interface CellChange {
  readonly field: string;
  readonly before: unknown;
  readonly after: unknown;
  /** The value is replaced, and no answer shows it. */
  readonly isSecret: boolean;
}

/** What importing the row will do, as the server found out without writing. */
export interface Forecast {
  readonly outcome: 'create' | 'update';
  readonly changes: readonly CellChange[];
}

/** A value that probably corrects a failed row. */
export interface Remedy {
  readonly field: string;
  /** Value of the cell. */
  readonly value: unknown;
  readonly label: string;
}

/** An existing object. */
export interface NamedObject {
  readonly id: string;
  readonly name: string;
}

export interface ImportRow {
  /** Number of the row in the file, from 1, without heading and empty lines. */
  readonly number: number;
  readonly values: RowValues;
  readonly state: RowState;
  /** Why the row failed; empty unless `state` is `error`. */
  readonly problems: readonly RowProblem[];
  /**
   * Id of the object that the row was saved as. If the row is edited afterwards, that object is updated instead of
   * creating a second one.
   */
  readonly savedId: string | number | null;
  /** Edited by the person and not saved since. */
  readonly requeued: boolean;
  /** Result of the check before the import; null when the row was not checked since its last change, or has errors. */
  readonly forecast: Forecast | null;
  /** Corrections that the server offers for the errors. */
  readonly remedies: readonly Remedy[];
  /** The object that has the unique value of this row. */
  readonly takenBy: NamedObject | null;
  /** The person chose that this row updates an existing object, although the file creates objects. */
  readonly target: NamedObject | null;
}

export interface ImportColumn {
  readonly field: string;
  /** Heading without its asterisk. */
  readonly label: string;
  readonly required: boolean;
  /** Heading as in the file. */
  readonly heading: string;
}

/** Answer of `render-to-json`: pairs of heading and field (`''` for an unknown heading), and a map for each row. */
export interface RenderedFile {
  readonly title: readonly (readonly [heading: string, field: string])[];
  readonly data: readonly RowValues[];
}

/** The columns with a known field, each field once, and the headings without a field. */
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

const UNCHECKED = { forecast: null, remedies: [], takenBy: null } as const;

export function rowsOf(data: RenderedFile['data']): ImportRow[] {
  return data.map((values, index) => ({
    number: index + 1,
    values,
    state: 'pending',
    problems: [],
    savedId: null,
    requeued: false,
    ...UNCHECKED,
    target: null,
  }));
}

/** Separator of list items in a cell; the server splits at the same characters. */
const SEPARATORS = /[,;，；、\n]/u;

function itemsOf(text: string): readonly string[] {
  return text
    .split(SEPARATORS)
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** A value as it is displayed and typed in a cell: `ssh/22, sftp/22` for a list of texts. */
export function cellText(value: unknown): string {
  if (value === undefined || value === null) return '';
  if (Array.isArray(value) && value.every((item) => typeof item === 'string' && !SEPARATORS.test(item)))
    return value.join(', ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * Parses typed text as JSON if possible; otherwise the text stays. Numbers that would change in a round trip (`1.50`,
 * twenty digits) stay text, so that a serial number is not rounded.
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

/** A list value stays a list, whatever separator the person types. */
function parseLike(before: unknown, text: string): unknown {
  const value = parseCell(text);
  return Array.isArray(before) && typeof value === 'string' ? itemsOf(value) : value;
}

/**
 * The row after a cell was edited; it becomes pending again. Emptied cells are left out, because the server also leaves
 * out empty cells.
 */
export function editRow(row: ImportRow, field: string, text: string): ImportRow {
  if (text === cellText(row.values[field])) return row;
  const values = { ...row.values };
  if (text.trim() === '') delete values[field];
  else values[field] = parseLike(row.values[field], text);
  return withValues(row, values);
}

/** The row with other values; it becomes pending again, and what was known about it is void. */
export function withValues(row: ImportRow, values: RowValues): ImportRow {
  return { ...row, values, state: 'pending', problems: [], requeued: true, ...UNCHECKED };
}

/** The row as an update of an existing object. */
export function withTarget(row: ImportRow, target: NamedObject): ImportRow {
  return { ...withValues(row, row.values), target };
}

const MIN_WIDTH_PX = 100;
const MAX_WIDTH_PX = 180;
/** Average width of Latin and of Chinese characters in the body font, and the cell's padding on both sides, in px. */
const CHARACTER_PX = 8;
const WIDE_PX = 13;
const PADDING_PX = 20;

function textWidth(text: string): number {
  let width = PADDING_PX;
  for (const sign of text.slice(0, MAX_WIDTH_PX)) width += sign > '\u2E7F' ? WIDE_PX : CHARACTER_PX;
  return width;
}

/** Width of a column of the import table: fits its texts, between 100 and 180 px. */
export function columnWidth(label: string, values: readonly unknown[]): number {
  const widest = values.reduce<number>(
    (most, value) => Math.max(most, textWidth(cellText(value))),
    textWidth(label),
  );
  return Math.min(MAX_WIDTH_PX, Math.max(MIN_WIDTH_PX, widest));
}
