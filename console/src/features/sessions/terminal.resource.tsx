import { ServerCog } from 'lucide-react';
import type { Api } from '#/lib/api-types';
import { translate } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { defineResource, type QuickAction } from '#/resource/define';
import { CopyCell, TimeCell } from '#/resource/format';
import { Chip, Status, type StatusTone } from '#/ui/status';
import { terminalRoutes } from './addresses';
import { stateOf, terminalActions } from './terminal-actions';

export type TerminalRow = Pick<
  Api<'Terminal'>,
  | 'id'
  | 'name'
  | 'remote_addr'
  | 'is_accepted'
  | 'is_alive'
  | 'is_local'
  | 'is_revoked'
  | 'is_renewal_due'
  | 'fingerprint'
  | 'session_online'
  | 'status'
  | 'status_display'
  | 'comment'
> & {
  readonly stat: {
    readonly cpu_load: number;
    readonly memory_used: number;
    readonly disk_used: number;
    readonly date_created: string;
  } | null;
};

const TONES: Readonly<Record<string, StatusTone>> = { normal: 'ok', high: 'warn', critical: 'danger' };

/** Whether the terminal is accepted and, if so, its health. */
function Standing({ row }: { readonly row: TerminalRow }) {
  const state = stateOf(row);
  if (state === 'accepted')
    return <Status tone={TONES[row.status] ?? 'unknown'}>{row.status_display}</Status>;
  // i18n: sessions:terminals.state.*
  return (
    <Status tone={state === 'waiting' ? 'warn' : 'danger'}>
      {translate(`sessions:terminals.state.${state}`)}
    </Status>
  );
}

function percent(value: number | undefined) {
  return value === undefined ? null : <span className="tabular-nums">{`${value.toFixed(0)} %`}</span>;
}

// i18n: sessions:terminals.column.*
const loads = (
  [
    { key: 'stat.cpu_load', text: 'cpu', of: (row: TerminalRow) => row.stat?.cpu_load.toFixed(2) },
    { key: 'stat.memory_used', text: 'memory', of: (row: TerminalRow) => percent(row.stat?.memory_used) },
    { key: 'stat.disk_used', text: 'disk', of: (row: TerminalRow) => percent(row.stat?.disk_used) },
  ] as const
).map(({ key, text, of }) => ({
  key,
  label: `sessions:terminals.column.${text}`,
  align: 'right' as const,
  sortable: false,
  cell: (row: TerminalRow) => <span className="tabular-nums">{of(row) ?? '—'}</span>,
}));

const quick: readonly QuickAction<TerminalRow>[] = terminalActions.flatMap((action) =>
  action.icon === undefined
    ? []
    : [
        {
          id: action.id,
          label: action.label,
          icon: action.icon,
          isOffered: action.isOffered,
          disabledReason: action.disabledReason,
          control: { kind: 'button', label: action.label, run: (row, tools) => action.run(row, tools) },
        } satisfies QuickAction<TerminalRow>,
      ],
);

/** The metadata has the names of the storages that a terminal may use. */
const STORAGES = {
  replay_storage: { control: 'select', help: 'sessions:terminals.replay_storage_help' },
  command_storage: { control: 'select' },
} as const;

export const terminal = defineResource<TerminalRow, 'terminal/terminals/'>({
  name: 'TerminalListTable',
  api: 'terminal/terminals/',
  routes: terminalRoutes,
  icon: ServerCog,
  nameOf: (row) => row.name,
  noun: {
    one: 'sessions:terminals.one',
    many: 'sessions:terminals.many',
    what: 'sessions:terminals.what',
  },
  shared: true,
  can: { create: false, clone: false, deleteMany: false },
  list: {
    next: { label: 'sessions:terminals.help', to: paths.help('docs') },
    columns: [
      'name',
      {
        key: 'status',
        label: 'sessions:terminals.column.state',
        sortable: false,
        cell: (row) => <Standing row={row} />,
      },
      'remote_addr',
      {
        key: 'fingerprint',
        sortable: false,
        cell: (row) => (row.fingerprint ? <CopyCell value={row.fingerprint} /> : null),
      },
      { key: 'session_online', align: 'right', sortable: false },
      ...loads,
      'is_alive',
      'comment',
    ],
    rowActions: terminalActions,
    exchange: { import: false },
    bulkUpdate: { fields: ['replay_storage', 'command_storage'] },
    isInactive: (row) => stateOf(row) !== 'accepted',
    phone: {
      icon: ServerCog,
      meta: (row) => <span>{row.remote_addr}</span>,
      status: (row) => <Standing row={row} />,
    },
  },
  form: {
    groups: [
      { title: 'sessions:terminals.form', fields: ['name', 'comment'] },
      { title: 'sessions:terminals.storages', fields: ['replay_storage', 'command_storage'] },
    ],
    fields: STORAGES,
    method: 'patch',
  },
  detail: {
    status: (row) => (
      <>
        <Standing row={row} />
        {row.is_local ? <Chip>{translate('sessions:terminals.local')}</Chip> : null}
      </>
    ),
    cards: [
      {
        title: 'resource:tab.basic',
        fields: [
          'name',
          'remote_addr',
          {
            key: 'fingerprint',
            value: (row) => (row.fingerprint ? <CopyCell value={row.fingerprint} /> : null),
          },
          'version',
          'replay_storage',
          'command_storage',
          'date_created',
          'comment',
        ],
      },
      {
        title: 'sessions:terminals.load',
        fields: [
          ...loads.map(({ key, label, cell }) => ({ key, label, value: cell })),
          'session_online',
          {
            key: 'stat.date_created',
            label: 'sessions:terminals.column.seen',
            value: (row: TerminalRow) => (row.stat ? <TimeCell value={row.stat.date_created} exact /> : null),
          },
        ],
      },
    ],
    quick,
  },
});
