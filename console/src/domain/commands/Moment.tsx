import { clockText } from '#/lib/clock-text';
import { translate } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { CellLink } from '#/ui/link';
import type { CommandRow } from './command-row';

export interface CommandOfSession extends CommandRow {
  readonly user: string;
  readonly system_user: string;
  /** Id of the session. */
  readonly session: string;
}

/** Leads to the second of the recording at which the command was run. */
export function Moment({ row }: { readonly row: CommandOfSession }) {
  return (
    <CellLink to={paths.session(row.session, row.offset_ms)} className="pt-link font-mono text-meta">
      {translate('commands:at', { position: clockText(row.offset_ms) })}
    </CellLink>
  );
}
