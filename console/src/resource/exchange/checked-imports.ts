import type { CheckedImport } from '../define';
import type { ImportRow } from './import-row';
import { idOf } from './save-row';

/** The rows that the check accepted. */
export function checkedImports(rows: readonly ImportRow[]): readonly CheckedImport[] {
  return rows.flatMap(({ forecast, target, values }): readonly CheckedImport[] => {
    if (forecast === null) return [];
    if (forecast.outcome === 'create') return [{ id: null, values, changes: [] }];
    const id = target?.id ?? idOf(values);
    return id === null ? [] : [{ id: String(id), values, changes: forecast.changes }];
  });
}
