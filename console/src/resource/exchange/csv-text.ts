import { cellText, type ImportColumn, type ImportRow } from './import-row';

/**
 * Cells that a spreadsheet program would run as a formula, or that begin with an escaping apostrophe. The export
 * prefixes an apostrophe and the server removes one, so every text survives the round trip.
 */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;

function csvCell(text: string): string {
  const inert = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

/** Rows as a csv file that can be corrected and imported again: UTF-8 with BOM, headings as in the original file. */
export function csvText(columns: readonly ImportColumn[], rows: readonly ImportRow[]): string {
  const lines = [
    columns.map(({ heading }) => csvCell(heading)),
    ...rows.map((row) => columns.map(({ field }) => csvCell(cellText(row.values[field])))),
  ];
  return `\uFEFF${lines.map((cells) => cells.join(',')).join('\r\n')}\r\n`;
}
