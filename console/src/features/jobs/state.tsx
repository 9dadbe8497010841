import { Status, type StatusTone } from '#/ui/status';
import type { Job } from './api';

/** Tones of the states of a job, and of the execution that it belongs to. */
export const TONES: Readonly<Record<Job['state'], StatusTone>> = {
  waiting: 'unknown',
  running: 'unknown',
  succeeded: 'ok',
  failed: 'danger',
  cancelled: 'warn',
  interrupted: 'danger',
};

interface InState {
  readonly state: Job['state'];
  readonly state_display: string;
}

/** The state of an execution in words. */
export function StateCell({ of }: { readonly of: InState }) {
  return <Status tone={TONES[of.state]}>{of.state_display}</Status>;
}
