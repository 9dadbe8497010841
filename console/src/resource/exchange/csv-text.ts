/**
 * Cells that a spreadsheet program would run as a formula, or that begin with an escaping apostrophe. The export
 * prefixes an apostrophe and the server removes one, so every text survives the round trip.
 */
export const FORMULA = /^'*[=+\-@\t\r\n＝＋－＠]/;

function csvCell(text: string): string {
  const inert = FORMULA.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert;
}

/** A csv file that can be corrected and imported again: UTF-8 with BOM. */
export function csvText(lines: readonly (readonly string[])[]): string {
  return `\uFEFF${lines.map((cells) => cells.map(csvCell).join(',')).join('\r\n')}\r\n`;
}
