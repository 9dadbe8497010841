import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import type { CommandRow } from '#/domain/commands/command-row';
import type { Recording } from '#/islands/replay/container';
import { http } from '#/lib/http/client';
import { parseTime } from '#/lib/time';
import type { SessionRow } from '../api';
import { EDGE_MS, type Moment, momentsOf, type SessionEvent, type TransferRow } from './moments';

/** Rows of each kind on one time line; more could not be told apart there. */
const ROWS_SHOWN = 100;
const SETTLED_MS = 300_000;

interface Page<Row> {
  readonly results: readonly Row[];
}

/** An instant this far from a time; empty without one. */
function instantNear(time: string | null, differenceMs: number): string {
  const at = parseTime(time);
  return at ? new Date(at.getTime() + differenceMs).toISOString() : '';
}

/** Rows of a list that belong to the session and its time. The recording of a finished session does not change. */
function useRows<Row>(api: string, query: Readonly<Record<string, string>>): readonly Row[] {
  const rows = useQuery({
    queryKey: ['moments', api, query],
    staleTime: SETTLED_MS,
    queryFn: ({ signal }) =>
      http.get<Page<Row>>(api, { query: { ...query, limit: ROWS_SHOWN, offset: 0 }, signal, quiet: true }),
  });
  return rows.data?.results ?? NO_ROWS;
}

const NO_ROWS: readonly never[] = [];

/** Commands, transfers, joins and alerts on the time line of a recording. */
export function useMoments(
  session: SessionRow,
  recording: Recording,
  commands: readonly CommandRow[],
): readonly Moment[] {
  const transfers = useRows<TransferRow>('audits/ftp-logs/', { session: session.id, order: 'date_start' });
  const events = useRows<SessionEvent>('audits/events/', {
    resource_id: session.id,
    date_from: instantNear(session.date_start, -EDGE_MS),
    date_to: instantNear(session.date_end, EDGE_MS),
  });
  return useMemo(() => {
    const began = parseTime(recording.header.started_at) ?? parseTime(session.date_start);
    return momentsOf({ began, durationMs: recording.durationMs }, commands, transfers, events);
  }, [session.date_start, recording, commands, transfers, events]);
}
