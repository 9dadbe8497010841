import { useT } from '#/lib/i18n';
import { visible } from '#/ui/visible-text';
import { type CommandRow, isRefused } from './command-row';
import { HiddenSecrets } from './HiddenSecrets';

interface CommandOutputProps {
  readonly command: CommandRow;
  readonly empty: string;
}

function Output({ command, empty }: CommandOutputProps) {
  const t = useT();
  if (isRefused(command)) return <span className="text-ink-3">{t('commands:decision.not_run')}</span>;
  if (command.output === '') return <span className="text-ink-3">{empty}</span>;
  return (
    <pre className="mt-1 max-h-60 overflow-auto rounded-2 bg-term-bg p-2 font-mono text-meta whitespace-pre text-term-fg">
      {visible(command.output)}
    </pre>
  );
}

/** The stored beginning of the output, or that the command did not run. `empty` is shown for no output. */
export function CommandOutput({ command, empty }: CommandOutputProps) {
  return (
    <>
      <Output command={command} empty={empty} />
      <HiddenSecrets command={command} />
    </>
  );
}
