import { http } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import type { ExchangeSource } from './exchange-source';
import { checkRows, updatedId } from './check-rows';
import { ImportCheck } from './import-check';
import { CONTENT_TYPE, fileType } from './import-file';
import { columnsOf, type ImportColumn, type RenderedFile, rowsOf } from './import-row';
import { ImportRun } from './import-run';
import { type ImportMode, saveRow } from './save-row';

/** A file that the server has parsed, ready to be imported. */
export interface LoadedFile {
  readonly name: string;
  /** In bytes. */
  readonly size: number;
  readonly mode: ImportMode;
  readonly columns: readonly ImportColumn[];
  /** Headings without a known field. */
  readonly unknown: readonly string[];
  readonly run: ImportRun;
  readonly check: ImportCheck;
}

/** The file has rows, but no column matches a field of the resource. */
export class NoColumnsError extends Error {
  constructor() {
    super('no column of the file belongs to a field');
    this.name = 'NoColumnsError';
  }
}

/**
 * Has the server parse a file. Rejects with the errors of `http` when the file cannot be read, with `NoColumnsError`
 * when no column is known.
 */
export async function loadFile(
  file: File,
  mode: ImportMode,
  source: ExchangeSource,
  signal: AbortSignal,
): Promise<LoadedFile> {
  const type = CONTENT_TYPE[fileType(file.name) ?? 'csv'];
  const { title, data } = await http.post<RenderedFile>(`${source.api}render-to-json/`, file, {
    headers: { 'Content-Type': type },
    query: source.place,
    quiet: true,
    signal,
  });
  const { columns, unknown } = columnsOf(title);
  if (columns.length === 0) throw new NoColumnsError();
  const target = {
    api: source.api,
    mode,
    query: source.place,
    columns,
    withoutId: translate('exchange:import.without_id'),
  };
  const run = new ImportRun(rowsOf(data), { save: (row) => saveRow(target, row) });
  const check = new ImportCheck(run, {
    check: (rows) => checkRows(target, rows),
    kindOf: (row) => {
      const id = updatedId(target, row);
      if (id === undefined) return { field: 'id', text: target.withoutId };
      return id === null ? 'create' : 'update';
    },
    repeated: (column, row) => translate('exchange:check.repeated', { column, row }),
    columns,
  });
  return {
    name: file.name,
    size: file.size,
    mode,
    columns,
    unknown,
    run,
    check,
  };
}
