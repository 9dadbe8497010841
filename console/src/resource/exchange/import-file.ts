/** Rules for import files. */

export type FileType = 'csv' | 'xlsx';
export type FileProblem = 'count' | 'format' | 'size' | 'empty';

/** Default size limit, and the highest that a setting may allow, in MB. */
export const DEFAULT_MAX_MB = 10;
export const HIGHEST_MAX_MB = 30;
const MB = 1024 * 1024;

/** Content types for `render-to-json`. */
export const CONTENT_TYPE: Readonly<Record<FileType, string>> = { csv: 'text/csv', xlsx: 'text/xlsx' };

/** File types for the browser's file dialog. */
export const ACCEPTED =
  '.csv,.xlsx,text/csv,application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';

/** Current size limit, in MB. */
export function maxMegabytes(setting: number | undefined): number {
  if (setting === undefined || !Number.isFinite(setting) || setting < 1) return DEFAULT_MAX_MB;
  return Math.min(setting, HIGHEST_MAX_MB);
}

export function fileType(name: string): FileType | null {
  const end = name.slice(name.lastIndexOf('.') + 1).toLowerCase();
  return end === 'csv' || end === 'xlsx' ? end : null;
}

/**
 * The first rule that the chosen files violate, or null. Types are checked by file name, because browsers disagree
 * about the media types of csv files.
 */
export function fileProblem(files: readonly File[], maxMb: number): FileProblem | null {
  const [file] = files;
  if (file === undefined || files.length > 1) return 'count';
  if (fileType(file.name) === null) return 'format';
  if (file.size > maxMb * MB) return 'size';
  return file.size === 0 ? 'empty' : null;
}

/** `86 KB`, `1.4 MB`. */
export function sizeText(bytes: number): string {
  if (bytes < MB) return `${Math.max(1, Math.round(bytes / 1024))} KB`;
  return `${(bytes / MB).toFixed(1)} MB`;
}
