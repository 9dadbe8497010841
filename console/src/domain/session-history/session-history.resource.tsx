import { Archive, SquareTerminal } from 'lucide-react';
import type { Api } from '#/lib/api-types';
import { translate } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { friendlyDuration } from '#/lib/time';
import { type Column, defineResource, type ResourceDefinition } from '#/resource/define';
import { TimeCell } from '#/resource/format';
import { CellLink } from '#/ui/link';
import { Badge, Missing, Status } from '#/ui/status';
import { VisibleText } from '#/ui/visible-text';

/** The object whose sessions are shown. */
export type SessionPlace = 'asset' | 'user' | 'system_user';

type Row = Pick<
  Api<'Session'>,
  | 'id'
  | 'user'
  | 'asset'
  | 'system_user'
  | 'protocol'
  | 'state'
  | 'is_finished'
  | 'end_reason_display'
  | 'date_start'
  | 'duration_s'
  | 'is_on_hold'
>;
type Key =
  | SessionPlace
  | 'date_start'
  | 'duration_s'
  | 'protocol'
  | 'remote_addr'
  | 'command_amount'
  | 'state';

const OF_PLACE: Readonly<Record<SessionPlace, readonly SessionPlace[]>> = {
  asset: ['user', 'system_user'],
  user: ['asset', 'system_user'],
  system_user: ['user', 'asset'],
};

function State({ row }: { readonly row: Row }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      {row.is_finished ? (
        row.end_reason_display || <Missing />
      ) : (
        <Status tone="ok">{translate('session-history:live')}</Status>
      )}
      {row.is_on_hold && (
        <Badge tone="warn" icon={Archive}>
          {translate('session-history:on_hold')}
        </Badge>
      )}
    </span>
  );
}

function Lasted({ row }: { readonly row: Row }) {
  if (row.duration_s === null) return <Missing />;
  return <span className="tabular-nums">{friendlyDuration(row.duration_s)}</span>;
}

const start: Column<Row, Key> = {
  key: 'date_start',
  sortable: true,
  cell: (row) => (
    <CellLink to={paths.session(row.id)} className="pt-link font-medium">
      <TimeCell value={row.date_start} />
    </CellLink>
  ),
};

/** Sessions on the page of one object. The column of the object itself is left out. */
export function sessionsSeenFrom(place: SessionPlace): ResourceDefinition<Row> {
  const placeColumns = OF_PLACE[place].map((key): Column<Row, Key> => ({
    key,
    cell: (row) => <VisibleText text={row[key]} />,
  }));
  return defineResource<Row, 'terminal/sessions/'>({
    name: `SessionsOf-${place}`,
    api: 'terminal/sessions/',
    routes: {
      names: { list: 'SessionList', detail: 'SessionDetail' },
      paths: { list: '/terminal/session', detail: '/terminal/sessions/$id' },
      titles: { list: 'nav:session_list', detail: 'nav:session_detail' },
    },
    icon: SquareTerminal,
    nameOf: (row) => `${row.user} → ${row.asset}`,
    noun: {
      one: 'session-history:one',
      many: 'session-history:many',
      what: 'session-history:none',
    },
    can: { create: false, clone: false, update: () => false, deleteMany: false },
    list: {
      order: '-date_start',
      columns: [
        start,
        ...placeColumns,
        { key: 'protocol', cell: (row) => <Badge>{row.protocol.toUpperCase()}</Badge> },
        'remote_addr',
        { key: 'command_amount', align: 'right' },
        { key: 'duration_s', sortable: false, cell: (row) => <Lasted row={row} /> },
        {
          key: 'state',
          label: 'session-history:state',
          sortable: false,
          cell: (row) => <State row={row} />,
        },
      ],
      phone: {
        icon: SquareTerminal,
        meta: (row) => <TimeCell value={row.date_start} />,
        status: (row) => <State row={row} />,
      },
    },
  });
}
