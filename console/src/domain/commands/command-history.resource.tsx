import { SquareChevronRight } from 'lucide-react';
import { translate } from '#/lib/i18n';
import { defineResource } from '#/resource/define';
import { TimeCell } from '#/resource/format';
import { VisibleText } from '#/ui/visible-text';
import { COMMAND_COLUMNS } from './columns';
import { CommandOutput } from './CommandOutput';
import { CommandRisk } from './CommandRisk';
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
      COMMAND_COLUMNS.input,
      COMMAND_COLUMNS.risk,
      COMMAND_COLUMNS.user,
      { ...COMMAND_COLUMNS.account, label: 'commands:account' },
      COMMAND_COLUMNS.session,
      COMMAND_COLUMNS.time,
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
