import { Server } from 'lucide-react';
import type { Api } from '#/lib/api-types';
import { paths } from '#/lib/paths';
import { defineResource, type ResourceDefinition } from '#/resource/define';
import { AppLink } from '#/ui/link';
import { Missing, Status, type StatusTone } from '#/ui/status';
import { VisibleText } from '#/ui/visible-text';
import { LastedCell } from './amounts';

type HostRow = Pick<
  Api<'HostOutcome'>,
  | 'id'
  | 'asset'
  | 'hostname'
  | 'ip'
  | 'username'
  | 'state'
  | 'state_display'
  | 'result'
  | 'result_display'
  | 'message'
  | 'seconds'
>;

function toneOf(row: HostRow): StatusTone {
  if (row.state !== 'ended') return 'unknown';
  if (row.result === 'done') return 'ok';
  return row.result === 'stopped' || row.result === 'not_started' ? 'warn' : 'danger';
}

function Result({ row }: { readonly row: HostRow }) {
  return <Status tone={toneOf(row)}>{row.state === 'ended' ? row.result_display : row.state_display}</Status>;
}

/** The hosts of one execution. */
export function hostsOf(execution: string): ResourceDefinition<HostRow> {
  return defineResource<HostRow, 'ops/adhoc-executions/{execution_pk}/hosts/'>({
    name: 'ExecutionHostTable',
    api: `ops/adhoc-executions/${execution}/hosts/`,
    routes: {
      names: { list: 'TaskList' },
      paths: { list: '/ops/tasks' },
      titles: { list: 'nav:task_list' },
    },
    icon: Server,
    nameOf: (row) => row.hostname,
    noun: { one: 'jobs:host.one', many: 'jobs:host.many', what: 'jobs:host.what' },
    can: { create: false, clone: false, update: () => false, delete: () => false, mayDelete: () => false },
    list: {
      columns: [
        {
          key: 'hostname',
          cell: (row) => (
            <AppLink to={paths.asset(row.asset)} className="pt-link font-medium">
              <VisibleText text={row.hostname} />
            </AppLink>
          ),
        },
        'ip',
        { key: 'username', sortable: false },
        { key: 'result', cell: (row) => <Result row={row} /> },
        {
          key: 'message',
          sortable: false,
          cell: (row) =>
            row.message ? (
              <span className="block min-w-44 whitespace-pre-wrap [overflow-wrap:anywhere]">
                <VisibleText text={row.message} />
              </span>
            ) : (
              <Missing />
            ),
        },
        { key: 'via', sortable: false },
        { key: 'seconds', align: 'right', cell: (row) => <LastedCell seconds={row.seconds} /> },
        { key: 'status', align: 'right', sortable: false },
      ],
      shown: ['hostname', 'ip', 'username', 'result', 'message', 'seconds'],
      exchange: { import: false },
      phone: {
        icon: Server,
        meta: (row) => row.ip,
        note: (row) => <VisibleText text={row.message ?? ''} />,
        status: (row) => <Result row={row} />,
      },
    },
  });
}
