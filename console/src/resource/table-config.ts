import { readStoredJson, writeStoredJson } from '#/lib/storage';
import { PAGE_SIZES } from '#/ui/pager';

const KEY = 'tableConfig';

function config(): Record<string, unknown> {
  const stored = readStoredJson(KEY);
  return typeof stored === 'object' && stored !== null && !Array.isArray(stored)
    ? (stored as Record<string, unknown>)
    : {};
}

export function rememberedPageSize(): number {
  const size = config()['paginationSize'];
  return PAGE_SIZES.find((one) => one === size) ?? PAGE_SIZES[0];
}

export function rememberPageSize(size: number): void {
  writeStoredJson(KEY, { ...config(), paginationSize: size });
}

export function rememberedColumns(table: string): readonly string[] | null {
  const own = config()[table];
  if (typeof own !== 'object' || own === null || !('showColumns' in own) || !Array.isArray(own.showColumns))
    return null;
  return own.showColumns.filter((column) => typeof column === 'string');
}

export function rememberColumns(table: string, columns: readonly string[]): void {
  writeStoredJson(KEY, { ...config(), [table]: { showColumns: columns } });
}
