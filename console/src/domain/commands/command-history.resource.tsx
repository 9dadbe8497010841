import { SquareChevronRight } from 'lucide-react';
import { translate } from '#/lib/i18n';
import { defineResource } from '#/resource/define';
import { TimeCell } from '#/resource/format';
import { VisibleText } from '#/ui/visible-text';
import { CommandOutput } from './CommandOutput';
import { CommandRisk } from './CommandRisk';
import { CommandText } from './CommandText';
import { type CommandOfSession, Moment } from './Moment';

/** Commands on the page of an asset. The output is shown when a row is expanded. */
export const commandsOnAsset = defineResource<CommandOfSession, 'terminal/commands/'>({
  name: 'CommandsOf-asset',
  api: 'terminal/commands/',
  routes: {
    names: { list: 'SessionList', detail: 'SessionDetail' },
    paths: { list: '/terminal/session' },
    titles: { list: 'nav:session_list' },
  },
  icon: SquareChevronRight,
  nameOf: (row) => row.input,
  noun: { one: 'commands:one', many: 'commands:many', what: 'commands:none' },
  can: { create: false, clone: false, update: () => false, deleteMany: false },
  list: {
    order: '-timestamp',
    untyped: ['asset', 'asset_id', 'session', 'session_id'],
    details: (row) => <CommandOutput command={row} empty={translate('commands:no_output')} />,
    columns: [
      { key: 'input', sortable: false, cell: (row) => <CommandText command={row} /> },
      { key: 'risk_level', sortable: false, cell: (row) => <CommandRisk command={row} /> },
      { key: 'user', sortable: false, cell: (row) => <VisibleText text={row.user} /> },
      {
        key: 'system_user',
        label: 'commands:account',
        sortable: false,
        cell: (row) => <VisibleText text={row.system_user} />,
      },
      {
        key: 'session',
        label: 'commands:session',
        sortable: false,
        cell: (row) => <Moment row={row} />,
      },
      { key: 'timestamp', sortable: true, cell: (row) => <TimeCell value={row.timestamp} exact /> },
    ],
    phone: {
      icon: SquareChevronRight,
      meta: (row) => (
        <>
          <VisibleText text={row.user} /> · <Moment row={row} />
        </>
      ),
      note: (row) => <TimeCell value={row.timestamp} exact />,
      status: (row) => <CommandRisk command={row} />,
    },
  },
});
