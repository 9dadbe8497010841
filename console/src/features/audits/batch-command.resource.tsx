import { ListChecks } from 'lucide-react';
import { Results } from '#/domain/batch-results/Results';
import type { Api } from '#/lib/api-types';
import { defineResource } from '#/resource/define';
import { MonoCell, TimeCell } from '#/resource/format';
import { AppLink } from '#/ui/link';
import { Status, type StatusTone } from '#/ui/status';
import { VisibleText } from '#/ui/visible-text';
import { batchCommandPath, batchCommandRoutes } from './addresses';

type Row = Pick<
  Api<'BatchCommandLog'>,
  | 'id'
  | 'command'
  | 'user_display'
  | 'run_as_display'
  | 'hosts_amount'
  | 'state'
  | 'state_display'
  | 'result'
  | 'is_finished'
  | 'date_start'
  | 'date_finished'
  | 'evidence'
>;

const TONES: Readonly<Record<Row['state'], StatusTone>> = {
  waiting: 'unknown',
  running: 'unknown',
  succeeded: 'ok',
  failed: 'danger',
  cancelled: 'warn',
  interrupted: 'danger',
};

function State({ row }: { readonly row: Row }) {
  return <Status tone={TONES[row.state]}>{row.state_display}</Status>;
}

/** A command with its lines: joined, they would be another command. */
function Command({ text }: { readonly text: string }) {
  return <pre className="font-mono text-meta whitespace-pre-wrap [overflow-wrap:anywhere]">{text}</pre>;
}

/** The batch commands of the organization. */
export const batchCommand = defineResource<Row, 'audits/command-execution-logs/'>({
  name: 'BatchCommandLogTable',
  api: 'audits/command-execution-logs/',
  routes: batchCommandRoutes,
  icon: ListChecks,
  nameOf: (row) => row.command,
  noun: { one: 'audits:batch.one', many: 'audits:batch.many', what: 'audits:batch.what' },
  can: { create: false, clone: false, update: () => false, delete: () => false, mayDelete: () => false },
  list: {
    columns: [
      {
        key: 'command',
        sortable: false,
        cell: (row) => (
          <AppLink to={batchCommandPath(row.id)} className="pt-link block max-w-80 truncate font-mono">
            <VisibleText text={row.command} />
          </AppLink>
        ),
      },
      { key: 'user_display', sortable: false },
      { key: 'run_as_display', sortable: false },
      { key: 'hosts_amount', align: 'right' },
      { key: 'state', cell: (row) => <State row={row} />, sortable: false },
      { key: 'result', sortable: false },
      { key: 'date_start', cell: (row) => <TimeCell value={row.date_start} exact />, sortable: false },
      { key: 'date_finished', sortable: false },
      { key: 'remote_addr', sortable: false },
      'org_name',
    ],
    shown: ['command', 'user_display', 'run_as_display', 'hosts_amount', 'state', 'date_start'],
    untyped: ['user', 'run_as', 'is_finished'],
    dateRangeDays: 7,
    exchange: { import: false },
    phone: {
      icon: ListChecks,
      meta: (row) => row.user_display,
      note: (row) => <TimeCell value={row.date_start} exact />,
      status: (row) => <State row={row} />,
    },
  },
  detail: {
    title: (row) => row.command.split('\n')[0] ?? '',
    cards: [
      {
        title: 'resource:tab.basic',
        fields: [
          { key: 'command', value: (row) => <Command text={row.command} /> },
          'user_display',
          'run_as_display',
          'run_as_username',
          'remote_addr',
          'hosts_amount',
          { key: 'state', value: (row) => <State row={row} /> },
          'result',
          { key: 'date_start', value: (row) => <TimeCell value={row.date_start} exact /> },
          { key: 'date_finished', value: (row) => <TimeCell value={row.date_finished} exact /> },
          { key: 'evidence', value: (row) => <MonoCell value={row.evidence} /> },
        ],
      },
    ],
    tabs: [
      {
        id: 'outputs',
        label: 'audits:batch.outputs',
        count: (row) => row.hosts_amount,
        content: (row) => <Results id={row.id} isOpen={!row.is_finished} />,
      },
    ],
  },
});
