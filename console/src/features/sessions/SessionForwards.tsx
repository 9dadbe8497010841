import { useQueryClient } from '@tanstack/react-query';
import { Waypoints } from 'lucide-react';
import { useEffect, useMemo } from 'react';
import { byteText } from '#/lib/byte-text';
import { mayAskUnbidden } from '#/lib/http/asking';
import { useT } from '#/lib/i18n';
import { friendlyDuration } from '#/lib/time';
import { defineResource } from '#/resource/define';
import { MonoCell, TextCell, TimeCell } from '#/resource/format';
import { ResourceList } from '#/resource/list/ResourceList';
import { Note } from '#/ui/note';
import { Missing, Status } from '#/ui/status';
import type { SessionRow } from './api';

const API = 'audits/forwarded-connections/';
const LIVE_EVERY_MS = 3_000;

/** Whether the session carries forwarded connections only. */
export function isForwardSession({ kind }: SessionRow): boolean {
  return kind === 'forward';
}

interface ForwardRow {
  readonly id: string;
  readonly asked: string;
  readonly opened: string;
  readonly originator: string;
  readonly bytes_in: number;
  readonly bytes_out: number;
  readonly duration_ms: number;
  readonly reason: string;
  readonly date_start: string;
  readonly state: 'finished' | 'under_way' | 'interrupted';
}

/** How a connection ended. i18n: sessions:forwards.state.* */
function End({ row }: { readonly row: ForwardRow }) {
  const t = useT();
  if (row.state === 'finished') return <TextCell value={row.reason} />;
  const tone = row.state === 'interrupted' ? 'warn' : 'unknown';
  return <Status tone={tone}>{t(`sessions:forwards.state.${row.state}`)}</Status>;
}

const bytes = (row: ForwardRow, count: number) => (row.state === 'finished' ? byteText(count) : <Missing />);

const forwards = defineResource<ForwardRow, 'audits/forwarded-connections/'>({
  name: 'SessionForwardTable',
  api: API,
  routes: {
    names: { list: 'SessionList' },
    paths: { list: '/terminal/session' },
    titles: { list: 'nav:session_list' },
  },
  icon: Waypoints,
  nameOf: (row) => row.opened,
  noun: { one: 'sessions:forwards.one', many: 'sessions:forwards.many', what: 'sessions:forwards.none' },
  can: { create: false, deleteMany: false },
  list: {
    columns: [
      { key: 'date_start', sortable: true, cell: (row) => <TimeCell value={row.date_start} exact /> },
      { key: 'opened', cell: (row) => <MonoCell value={row.opened} /> },
      { key: 'asked', cell: (row) => <MonoCell value={row.asked} /> },
      { key: 'originator', sortable: false, cell: (row) => <MonoCell value={row.originator} /> },
      { key: 'bytes_in', align: 'right', cell: (row) => bytes(row, row.bytes_in) },
      { key: 'bytes_out', align: 'right', cell: (row) => bytes(row, row.bytes_out) },
      {
        key: 'duration_ms',
        label: 'sessions:field.duration',
        align: 'right',
        cell: (row) => (row.state === 'finished' ? friendlyDuration(row.duration_ms / 1000) : <Missing />),
      },
      { key: 'reason', sortable: false, cell: (row) => <End row={row} /> },
    ],
    order: '-date_start',
    phone: {
      icon: Waypoints,
      meta: (row) => <TimeCell value={row.date_start} exact />,
      note: (row) => `${byteText(row.bytes_in)} · ${byteText(row.bytes_out)}`,
      status: (row) => <End row={row} />,
    },
  },
});

/** Forwarded connections of the session. They are counted, and their content is not recorded. */
export function SessionForwards({ session }: { readonly session: SessionRow }) {
  const t = useT();
  const client = useQueryClient();
  const isLive = !session.is_finished;
  const query = useMemo(() => ({ session: session.id }), [session.id]);
  useEffect(() => {
    if (!isLive) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible' && mayAskUnbidden())
        void client.invalidateQueries({ queryKey: ['list', API] });
    }, LIVE_EVERY_MS);
    return () => clearInterval(timer);
  }, [client, isLive]);
  return (
    <div className="grid grid-cols-[minmax(0,1fr)] gap-2">
      <Note tone="info">{t('sessions:forwards.not_recorded')}</Note>
      <ResourceList resource={forwards} query={query} embedded />
    </div>
  );
}
