import { cellText, type ImportColumn, type ImportRow } from './import-row';

/**
 * A cell that starts so would be run as a formula by spreadsheet programs, or looks as if it had been kept from that. The server
 * takes one apostrophe away again, so every text survives the way out and back.
 */
const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;

function csvCell(text: string): string {
  const inert = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

/** Rows as a csv file that can be corrected and imported again: UTF-8 with BOM, headings as they came. */
export function csvText(columns: readonly ImportColumn[], rows: readonly ImportRow[]): string {
  const lines = [
    columns.map(({ heading }) => csvCell(heading)),
    ...rows.map((row) => columns.map(({ field }) => csvCell(cellText(row.values[field])))),
  ];
  return `\uFEFF${lines.map((cells) => cells.join(',')).join('\r\n')}\r\n`;
}
