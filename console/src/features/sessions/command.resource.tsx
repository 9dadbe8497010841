import { SquareChevronRight } from 'lucide-react';
import { COMMAND_COLUMNS } from '#/domain/commands/columns';
import { CommandOutput } from '#/domain/commands/CommandOutput';
import { CommandRisk } from '#/domain/commands/CommandRisk';
import { type CommandOfSession, Moment } from '#/domain/commands/Moment';
import { translate } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { defineResource } from '#/resource/define';
import { TimeCell } from '#/resource/format';
import { CellLink } from '#/ui/link';
import { visible, VisibleText } from '#/ui/visible-text';

interface Row extends CommandOfSession {
  readonly asset: string;
  readonly asset_id: string;
}

/** The commands of all sessions. The output is shown when a row is expanded. */
export const commands = defineResource<Row, 'terminal/commands/'>({
  name: 'CommandTable',
  api: 'terminal/commands/',
  routes: {
    names: { list: 'CommandList', detail: 'SessionDetail' },
    paths: { list: '/terminal/command' },
    titles: { list: 'nav:command_list' },
  },
  icon: SquareChevronRight,
  nameOf: (row) => visible(row.input),
  noun: { one: 'commands:one', many: 'commands:many', what: 'sessions:no_commands_in_range' },
  can: { create: false, clone: false, update: () => false, deleteMany: false },
  list: {
    order: '-timestamp',
    dateRangeDays: 2,
    untyped: ['asset_id', 'session', 'session_id'],
    exchange: { import: false },
    details: (row) => <CommandOutput command={row} empty={translate('commands:no_output')} />,
    columns: [
      COMMAND_COLUMNS.input,
      COMMAND_COLUMNS.risk,
      COMMAND_COLUMNS.user,
      {
        key: 'asset',
        sortable: false,
        cell: (row) => (
          <CellLink to={paths.asset(row.asset_id)}>
            <VisibleText text={row.asset} />
          </CellLink>
        ),
      },
      COMMAND_COLUMNS.account,
      COMMAND_COLUMNS.session,
      { ...COMMAND_COLUMNS.time, label: 'sessions:field.time' },
      { key: 'kind', sortable: false, cell: (row) => row.kind_display },
    ],
    shown: ['input', 'risk_level', 'user', 'asset', 'system_user', 'session', 'timestamp'],
    phone: {
      icon: SquareChevronRight,
      meta: (row) => (
        <>
          <VisibleText text={row.user} /> → <VisibleText text={row.asset} /> · <Moment row={row} />
        </>
      ),
      note: (row) => <TimeCell value={row.timestamp} exact />,
      status: (row) => <CommandRisk command={row} />,
    },
  },
});
