import { useSyncExternalStore } from 'react';
import type { ImportRun, RunSnapshot } from './import-run';

/** The run as it is now; renders again after each of its changes. */
export function useRun(run: ImportRun): RunSnapshot {
  return useSyncExternalStore(run.subscribe, run.snapshot);
}
