import { type CommandRow, isRefused } from '#/domain/commands/command-row';
import { parseTime } from '#/lib/time';

export const MOMENT_KINDS = ['command', 'transfer', 'join', 'alert'] as const;
export type MomentKind = (typeof MOMENT_KINDS)[number];

/** Something that happened in a session, at its place in the recording. */
export interface Moment {
  readonly key: string;
  readonly kind: MomentKind;
  readonly ms: number;
  readonly label: string;
}

/** The part of a row of `audits/ftp-logs/` that the time line shows. */
export interface TransferRow {
  readonly id: string;
  readonly date_start: string;
  readonly operate_display: string;
  readonly filename: string;
}

/** The part of a row of `audits/events/` that the time line shows. */
export interface SessionEvent {
  readonly id: string;
  readonly event: string;
  readonly event_display: string;
  readonly user_display: string;
  readonly datetime: string;
}

/** Audit events of a session that belong on its time line. */
const KIND_OF_EVENT: Partial<Record<string, MomentKind>> = {
  'session.watched': 'join',
  'session.locked': 'alert',
  'session.unlocked': 'alert',
  'session.message_sent': 'alert',
  'session.termination_ordered': 'alert',
  'session.request_refused': 'alert',
  'session.actions_ended': 'alert',
};

/** Events have whole seconds, and what ends a session is noted shortly after the recording's last byte. */
export const EDGE_MS = 2_000;

/** Moments of a recording in order of time. Those outside of it are left out: a session can be locked after its end. */
export function momentsOf(
  recording: { readonly began: Date | null; readonly durationMs: number },
  commands: readonly CommandRow[],
  transfers: readonly TransferRow[],
  events: readonly SessionEvent[],
): readonly Moment[] {
  const { began, durationMs } = recording;
  const placeOf = (time: string): number => {
    const at = parseTime(time);
    return at && began ? at.getTime() - began.getTime() : Number.NaN;
  };
  const moments: Moment[] = [
    ...commands.map((row) => ({
      key: `command ${row.id}`,
      kind: row.risk_level > 0 || isRefused(row) ? ('alert' as const) : ('command' as const),
      ms: row.offset_ms,
      label: row.input === '' ? row.kind_display : row.input,
    })),
    ...transfers.map((row) => ({
      key: `transfer ${row.id}`,
      kind: 'transfer' as const,
      ms: placeOf(row.date_start),
      label: `${row.operate_display} ${row.filename}`,
    })),
    ...events.flatMap((row) => {
      const kind = KIND_OF_EVENT[row.event];
      if (!kind) return [];
      const label = `${row.event_display} · ${row.user_display}`;
      return [{ key: `event ${row.id}`, kind, ms: placeOf(row.datetime), label }];
    }),
  ];
  return moments
    .filter(({ ms }) => ms >= -EDGE_MS && ms <= durationMs + EDGE_MS)
    .map((moment) => ({ ...moment, ms: Math.min(Math.max(0, moment.ms), durationMs) }))
    .toSorted((left, right) => left.ms - right.ms);
}

/** The first moment after the position; behind the last one, the first again. */
export function nextMoment(moments: readonly Moment[], positionMs: number): Moment | undefined {
  return moments.find(({ ms }) => ms > positionMs) ?? moments[0];
}
