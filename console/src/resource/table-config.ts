import { currentSession } from '#/lib/session';
import { readStoredJson, writeStoredJson } from '#/lib/storage';
import { PAGE_SIZES } from '#/ui/pager';
import type { Density } from '#/ui/table';

/* Settings of tables in local storage, under one key: `paginationSize` (a map of user name to page size) and one entry
   for each table (`{showColumns, density}`). */
const KEY = 'tableConfig';
const SIZES = 'paginationSize';
const DENSITIES: readonly Density[] = ['compact', 'normal', 'comfortable'];

function record(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : {};
}

function config(): Record<string, unknown> {
  return record(readStoredJson(KEY));
}

function username(): string {
  return currentSession()?.profile.username ?? '';
}

/** The page size that this person chose last, for all tables. A bare number (older settings) applies to everybody. */
export function rememberedPageSize(): number {
  const stored = config()[SIZES];
  const size = typeof stored === 'number' ? stored : record(stored)[username()];
  return PAGE_SIZES.find((allowed) => allowed === size) ?? PAGE_SIZES[0];
}

export function rememberPageSize(size: number): void {
  const now = config();
  writeStoredJson(KEY, { ...now, [SIZES]: { ...record(now[SIZES]), [username()]: size } });
}

function rememberOwn(table: string, settings: Record<string, unknown>): void {
  const now = config();
  writeStoredJson(KEY, { ...now, [table]: { ...record(now[table]), ...settings } });
}

/** Keys of the columns that the person chose for this table; null when they never chose. */
export function rememberedColumns(table: string): readonly string[] | null {
  const { showColumns } = record(config()[table]);
  return Array.isArray(showColumns) ? showColumns.filter((column) => typeof column === 'string') : null;
}

export function rememberColumns(table: string, columns: readonly string[]): void {
  rememberOwn(table, { showColumns: columns });
}

export function rememberedDensity(table: string): Density {
  const { density } = record(config()[table]);
  return DENSITIES.find((allowed) => allowed === density) ?? 'normal';
}

export function rememberDensity(table: string, density: Density): void {
  rememberOwn(table, { density });
}
