import type { Column } from '#/resource/define';
import { TimeCell } from '#/resource/format';
import { VisibleText } from '#/ui/visible-text';
import { CommandRisk } from './CommandRisk';
import { CommandText } from './CommandText';
import { type CommandOfSession, Moment } from './Moment';

/** The columns of every list of commands. Only time is sorted by: the others have no index in their order. */
export const COMMAND_COLUMNS = {
  input: { key: 'input', sortable: false, cell: (row) => <CommandText command={row} /> },
  risk: { key: 'risk_level', sortable: false, cell: (row) => <CommandRisk command={row} /> },
  user: { key: 'user', sortable: false, cell: (row) => <VisibleText text={row.user} /> },
  account: { key: 'system_user', sortable: false, cell: (row) => <VisibleText text={row.system_user} /> },
  session: {
    key: 'session',
    label: 'commands:session',
    sortable: false,
    cell: (row) => <Moment row={row} />,
  },
  time: { key: 'timestamp', sortable: true, cell: (row) => <TimeCell value={row.timestamp} exact /> },
} as const satisfies Record<string, Column<CommandOfSession>>;
