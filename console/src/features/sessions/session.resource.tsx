import { CircleStop, Download, Eye, Lock, LockOpen, SquareTerminal } from 'lucide-react';
import { apiUrl } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { friendlyDuration, friendlyTime, parseTime } from '#/lib/time';
import {
  type BulkAction,
  defineResource,
  type ObjectAction,
  type ResourceDefinition,
} from '#/resource/define';
import { TimeCell } from '#/resource/format';
import { AppLink } from '#/ui/link';
import { Badge, Missing, Status } from '#/ui/status';
import { visible } from '#/ui/visible-text';
import type { SessionRow } from './api';
import { HoldBadge } from './HoldBadge';
import { LockBadge } from './LockBadge';
import { hasRoomForPreview } from './preview-room';
import { changeLock } from './steer';
import { confirmTerminate, confirmTerminateAll } from './terminate';

/** Length of a session in seconds; for a running session, the time since its start. */
function lastedS(row: SessionRow): number | null {
  if (row.duration_s !== null) return row.duration_s;
  const start = parseTime(row.date_start);
  return start && (Date.now() - start.getTime()) / 1000;
}

const monitor: ObjectAction<SessionRow> = {
  id: 'monitor',
  label: 'sessions:action.monitor',
  icon: Eye,
  order: 5,
  disabledReason: (row) => {
    if (row.can_join) return undefined;
    return translate(row.login_from === 'RT' ? 'sessions:watch.rdp_client' : 'sessions:watch.cannot_why');
  },
  // Opens beside the list where there is room, otherwise on its own page.
  run: (row, tools) =>
    tools.navigate(hasRoomForPreview() ? paths.sessionPreview(row.id) : paths.session(row.id)),
};

const terminate: ObjectAction<SessionRow> = {
  id: 'terminate',
  label: 'sessions:terminate.action',
  icon: CircleStop,
  order: 20,
  danger: true,
  disabledReason: (row) => (row.can_terminate ? undefined : translate('sessions:terminate.over')),
  run: async (row, tools) => {
    if (await confirmTerminate([row])) tools.refresh();
  },
};

const terminateChosen: BulkAction = {
  id: 'terminate',
  label: 'sessions:terminate.action',
  icon: CircleStop,
  danger: true,
  run: async (ids, tools) => {
    if (!(await confirmTerminateAll(ids, tools.names))) return;
    tools.clear();
    tools.refresh();
  },
};

const lock: ObjectAction<SessionRow> = {
  id: 'lock',
  label: 'sessions:lock.action',
  icon: Lock,
  order: 10,
  isOffered: (row) => !row.is_locked,
  disabledReason: (row) => (row.can_terminate ? undefined : translate('sessions:terminate.over')),
  run: async (row, tools) => {
    await changeLock([row.id], true);
    tools.refresh();
  },
};

const unlock: ObjectAction<SessionRow> = {
  ...lock,
  id: 'unlock',
  label: 'sessions:unlock.action',
  icon: LockOpen,
  isOffered: (row) => row.is_locked,
  run: async (row, tools) => {
    await changeLock([row.id], false);
    tools.refresh();
  },
};

const lockChosen: BulkAction = {
  id: 'lock',
  label: 'sessions:lock.action',
  icon: Lock,
  run: async (ids, tools) => {
    await changeLock(ids, true);
    tools.refresh();
  },
};

const unlockChosen: BulkAction = {
  id: 'unlock',
  label: 'sessions:unlock.action',
  icon: LockOpen,
  run: async (ids, tools) => {
    await changeLock(ids, false);
    tools.refresh();
  },
};

const replay: ObjectAction<SessionRow> = {
  id: 'replay',
  label: 'sessions:action.replay',
  icon: SquareTerminal,
  order: 5,
  disabledReason: (row) => (row.can_replay ? undefined : translate('sessions:replay.none')),
  run: (row, tools) => tools.navigate(paths.session(row.id)),
};

const download: ObjectAction<SessionRow> = {
  id: 'download',
  label: 'sessions:action.download',
  icon: Download,
  order: 20,
  disabledReason: (row) => (row.can_replay ? undefined : translate('sessions:replay.none')),
  run: (row) => location.assign(apiUrl(`terminal/sessions/${row.id}/replay/download/`)),
};

/** The state of a running session. i18n: sessions:state.* */
function LiveState({ session }: { readonly session: SessionRow }) {
  if (session.is_locked) return <LockBadge session={session} short />;
  return (
    <Status tone={session.state === 'active' ? 'ok' : 'unknown'}>
      {translate(`sessions:state.${session.state}`)}
    </Status>
  );
}

/** Online and offline sessions share one definition with a variant. */
function sessionResource(
  variant: 'online' | 'offline',
  mayTerminate: boolean,
): ResourceDefinition<SessionRow> {
  const isOnline = variant === 'online';
  return defineResource<SessionRow, 'terminal/sessions/'>({
    name: isOnline ? 'SessionOnline' : 'SessionOffline',
    api: 'terminal/sessions/',
    routes: {
      names: { list: 'SessionList', detail: 'SessionDetail' },
      paths: { list: '/terminal/session', detail: '/terminal/sessions/$id' },
      titles: { list: 'nav:session_list', detail: 'nav:session_detail' },
    },
    nameOf: (row) => `${row.user} → ${row.asset}`,
    icon: SquareTerminal,
    noun: {
      one: 'sessions:noun.one',
      many: 'sessions:noun.many',
      what: isOnline ? 'sessions:noun.what_online' : 'sessions:noun.what_offline',
    },
    can: {
      create: false,
      clone: false,
      update: () => false,
      delete: () => false,
      deleteMany: isOnline && mayTerminate,
      mayDelete: () => false,
    },
    list: {
      order: '-date_start',
      next: { label: 'sessions:open_terminal', to: '/connect' },
      ...(isOnline ? {} : { dateRangeDays: 2 }),
      untyped: ['is_on_hold'],
      columns: [
        {
          key: 'user',
          cell: (row) => (
            <span className="inline-flex items-center gap-1.5">
              <AppLink to={paths.session(row.id)} className="pt-link font-medium">
                {row.user}
              </AppLink>
              {/* The state, at the end of the row, may be out of sight. */}
              {row.is_locked && !row.is_finished && (
                <Lock className="size-3.5 flex-none text-warn" aria-hidden />
              )}
              <HoldBadge session={row} />
            </span>
          ),
        },
        { key: 'asset', cell: (row) => <AppLink to={paths.asset(row.asset_id)}>{row.asset}</AppLink> },
        'system_user',
        { key: 'via', sortable: false },
        {
          key: 'remote_addr',
          cell: (row) =>
            row.remote_addr ? <span className="font-mono text-meta">{row.remote_addr}</span> : <Missing />,
        },
        { key: 'protocol', cell: (row) => <Badge>{row.protocol.toUpperCase()}</Badge> },
        'login_from',
        { key: 'command_amount', label: 'sessions:field.commands', align: 'right' },
        {
          key: 'date_start',
          sortable: true,
          cell: (row) => {
            const start = parseTime(row.date_start);
            return start ? <span className="tabular-nums">{friendlyTime(start)}</span> : <Missing />;
          },
        },
        {
          key: 'duration_s',
          label: 'sessions:field.duration',
          sortable: false,
          cell: (row) => {
            const seconds = lastedS(row);
            return seconds === null ? (
              <Missing />
            ) : (
              <span className="tabular-nums">{friendlyDuration(seconds)}</span>
            );
          },
        },
        {
          key: 'state',
          label: isOnline ? 'sessions:field.state' : 'sessions:field.end_reason',
          sortable: false,
          cell: (row) => (isOnline ? <LiveState session={row} /> : row.end_reason_display || <Missing />),
        },
        'date_end',
        'org_name',
      ],
      shown: [
        'user',
        'asset',
        'system_user',
        'remote_addr',
        'protocol',
        'login_from',
        'command_amount',
        'date_start',
        'duration_s',
        'state',
      ],
      bulkActions: isOnline && mayTerminate ? [lockChosen, unlockChosen, terminateChosen] : [],
      rowActions: isOnline
        ? mayTerminate
          ? [monitor, lock, unlock, terminate]
          : [monitor]
        : [replay, download],
      phone: {
        icon: SquareTerminal,
        meta: (row) => (
          <>
            {visible(row.system_user)} · <TimeCell value={row.date_start} />
          </>
        ),
        status: (row) =>
          isOnline && row.is_locked ? (
            <LiveState session={row} />
          ) : (
            <Badge>{row.protocol.toUpperCase()}</Badge>
          ),
      },
    },
  });
}

// i18n: sessions:state.*
export const onlineSessions = sessionResource('online', true);
export const onlineSessionsReadOnly = sessionResource('online', false);
export const offlineSessions = sessionResource('offline', false);
