import { useMemo, useSyncExternalStore } from 'react';
import { checkCounts, type CheckCounts, type CheckSnapshot, type ImportCheck } from './import-check';
import type { RunSnapshot } from './import-run';

/** Current snapshot of the check; renders again after each change. */
export function useCheck(check: ImportCheck): CheckSnapshot {
  return useSyncExternalStore(check.subscribe, check.snapshot);
}

/** Numbers of the rows by what the check found out. */
export function useCheckCounts(snapshot: RunSnapshot): CheckCounts {
  return useMemo(() => checkCounts(snapshot.rows), [snapshot]);
}
