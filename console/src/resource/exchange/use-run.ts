import { useSyncExternalStore } from 'react';
import type { ImportRun, RunSnapshot } from './import-run';

/** Current snapshot of the run; renders again after each change. */
export function useRun(run: ImportRun): RunSnapshot {
  return useSyncExternalStore(run.subscribe, run.snapshot);
}
