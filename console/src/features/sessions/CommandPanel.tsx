import { useState } from 'react';
import { useT } from '#/lib/i18n';
import { Count } from '#/ui/status';
import { TextInput } from '#/ui/field';
import { visible } from '#/ui/visible-text';
import { CommandMark } from '#/domain/commands/CommandMark';
import type { CommandRow } from '#/domain/commands/command-row';
import { CommandText } from '#/domain/commands/CommandText';
import { clockText } from '#/lib/clock-text';

function currentCommand(commands: readonly CommandRow[], positionMs: number): string | null {
  return commands.findLast((command) => command.offset_ms <= positionMs)?.id ?? null;
}

/** Commands beside the player. A click jumps to the command; the list follows the current position. */
export function CommandPanel({
  commands,
  count,
  positionMs,
  onSeek,
}: {
  readonly commands: readonly CommandRow[];
  readonly count: number;
  readonly positionMs: number;
  readonly onSeek: (ms: number) => void;
}) {
  const t = useT();
  const [wanted, setWanted] = useState('');
  const matchingCommands = commands.filter((command) =>
    command.input.toLowerCase().includes(wanted.trim().toLowerCase()),
  );
  const current = currentCommand(commands, positionMs);
  return (
    <section className="pt-card flex min-h-0 flex-col" aria-label={t('sessions:commands')}>
      <header className="flex min-h-10 items-center gap-2 border-b border-line px-3.5 py-1.5">
        <h2 className="text-lead">{t('sessions:commands')}</h2>
        <Count>{count}</Count>
        <TextInput
          type="search"
          aria-label={t('sessions:find_command')}
          placeholder={t('sessions:find_command')}
          value={wanted}
          className="pt-field-quiet ml-auto max-w-40"
          onChange={(event) => setWanted(event.target.value)}
        />
      </header>
      {matchingCommands.length === 0 && (
        <p className="p-3.5 text-ink-3">
          {t(commands.length === 0 ? 'sessions:no_commands' : 'sessions:no_match')}
        </p>
      )}
      <ol className="min-h-0 grow overflow-y-auto">
        {matchingCommands.map((command) => (
          <li key={command.id}>
            <button
              type="button"
              aria-current={command.id === current || undefined}
              className="flex min-h-8 w-full items-center gap-3 border-b border-l-[3px] border-b-line border-l-transparent px-3 text-left hover:bg-hover aria-current:border-l-accent aria-current:bg-accent-soft"
              onClick={() => onSeek(command.offset_ms)}
            >
              <span className="flex-none font-mono text-meta text-ink-3 tabular-nums">
                {clockText(command.offset_ms)}
              </span>
              <span className="min-w-0 grow truncate" title={visible(command.input)}>
                <CommandText command={command} />
              </span>
              <CommandMark command={command} />
            </button>
          </li>
        ))}
      </ol>
      {count > commands.length && (
        <p className="border-t border-line px-3.5 py-2 text-meta text-ink-3">
          {t('sessions:first_commands', { shown: commands.length, count })}
        </p>
      )}
    </section>
  );
}
