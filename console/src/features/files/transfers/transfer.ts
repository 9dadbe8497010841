/** One file on its way to a host. */

export type TransferState = 'waiting' | 'running' | 'asking' | 'paused' | 'failed' | 'done' | 'skipped';

/** What to do with a file whose name exists on the host. */
export type Conflict = 'replace' | 'skip' | 'keep_both';

export interface Transfer {
  readonly id: string;
  /** Files that were added together: an answer for all of them concerns these. */
  readonly batch: string;
  readonly sessionId: string;
  readonly host: string;
  /** Path of the folder to which the batch was added. */
  readonly folder: string;
  /** Folders below `folder`, as they are called on this computer. */
  readonly folders: readonly string[];
  readonly file: File;
  readonly state: TransferState;
  /** Bytes. */
  readonly sent: number;
  /** Bytes a second; 0 while it is not known. */
  readonly speed: number;
  readonly error: string | null;
  /** The failure is the end of the session: it continues when the session is open again. */
  readonly isCutOff: boolean;
  readonly answer: Conflict | null;
  /** Id of the unfinished upload at the proxy. */
  readonly uploadId: string | null;
  readonly sha256: string;
}

const UNFINISHED: ReadonlySet<TransferState> = new Set(['waiting', 'running', 'asking', 'paused']);

export function isUnfinished({ state }: Transfer): boolean {
  return UNFINISHED.has(state);
}

/** Whether it ends without a person. */
export function isMoving({ state }: Transfer): boolean {
  return state === 'waiting' || state === 'running';
}

export function displayName({ folders, file }: Transfer): string {
  return [...folders, file.name].join('/');
}

export interface Totals {
  readonly files: number;
  readonly done: number;
  readonly bytes: number;
  readonly sent: number;
  /** Bytes a second. */
  readonly speed: number;
  /** Null while the speed is not known. */
  readonly secondsLeft: number | null;
}

export function totalsOf(transfers: readonly Transfer[]): Totals {
  const counted = transfers.filter(({ state }) => state !== 'skipped' && state !== 'failed');
  const sum = (value: (transfer: Transfer) => number): number =>
    counted.reduce((total, transfer) => total + value(transfer), 0);
  const bytes = sum(({ file }) => file.size);
  const sent = sum((transfer) => transfer.sent);
  const speed = sum((transfer) => (transfer.state === 'running' ? transfer.speed : 0));
  return {
    files: counted.length,
    done: counted.filter(({ state }) => state === 'done').length,
    bytes,
    sent,
    speed,
    secondsLeft: speed > 0 ? (bytes - sent) / speed : null,
  };
}

/** Progress in steps of ten percent, so that a screen reader is not told each change. */
export function spokenPercent({ files, done, bytes, sent }: Totals): number {
  if (files === 0) return 0;
  const share = bytes === 0 ? done / files : sent / bytes;
  return Math.floor(share * 10) * 10;
}
