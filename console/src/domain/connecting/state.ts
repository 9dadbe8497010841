import type { StatusTone } from '#/ui/status';

/** How far the session of a pane is. */
export interface SessionProgress {
  readonly status: string;
  /** The step while it opens, as the proxy names it. */
  readonly detail: string;
  /** The gateways that are being passed; empty on the direct way. */
  readonly via: string;
  readonly end: object | null;
  /** Why the server gave no token. */
  readonly refusal: string | null;
}

export function statusTone({ end, refusal, status }: Omit<SessionProgress, 'detail' | 'via'>): StatusTone {
  if (end !== null || refusal !== null) return 'unknown';
  if (status === 'open') return 'ok';
  return status === 'reconnecting' ? 'warn' : 'unknown';
}

/** i18n: connecting:state.* */
export function stateKey({ status, detail, via, end, refusal }: SessionProgress): string {
  if (refusal !== null) return 'connecting:state.refused';
  if (end !== null) return 'connecting:state.ended';
  if (status === 'connecting' && via !== '') return 'connecting:state.connecting_through';
  if (status === 'connecting' && detail !== '') return `connecting:state.${detail}`;
  return `connecting:state.${status}`;
}
