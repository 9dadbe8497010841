import { useT } from '#/lib/i18n';
import { CommandMark } from './CommandMark';
import type { CommandRow } from './command-row';

/** The risk of a command: a mark when it is dangerous or a filter decided about it. */
export function CommandRisk({ command }: { readonly command: CommandRow }) {
  const t = useT();
  if (command.risk_level === 0 && command.decision === '') return t('commands:ordinary');
  return <CommandMark command={command} />;
}
