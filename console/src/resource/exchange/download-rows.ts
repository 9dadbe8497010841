import { saveFile } from '#/lib/http/file';
import type { FieldMap } from '../api';
import { shownCell } from './cell-choices';
import { csvText } from './csv-text';
import { fileType } from './import-file';
import { cellText, type ImportRow } from './import-row';
import type { LoadedFile } from './loaded-file';
import { xlsxFile } from './xlsx-file';

const XLSX = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/**
 * Saves rows of a file in its format and language, ready to be corrected and imported. Choices have their labels if the
 * file is in the language of the console; otherwise their values, which every language accepts.
 */
export function downloadRows(
  { name, columns }: LoadedFile,
  rows: readonly ImportRow[],
  fields: FieldMap,
  suffix: string,
): void {
  const isInLanguage = columns.every(({ field, label }) => (fields[field]?.label ?? label) === label);
  const text = (field: string, value: unknown) =>
    isInLanguage ? shownCell(fields[field], value) : cellText(value);
  const lines = [
    columns.map(({ heading }) => heading),
    ...rows.map((row) => columns.map(({ field }) => text(field, row.values[field]))),
  ];
  const stem = name.replace(/\.\w+$/, '');
  const isXlsx = fileType(name) === 'xlsx';
  const content = isXlsx
    ? new Blob([xlsxFile(lines)], { type: XLSX })
    : new Blob([csvText(lines)], { type: 'text/csv;charset=utf-8' });
  saveFile(content, `${stem}-${suffix}.${isXlsx ? 'xlsx' : 'csv'}`);
}
