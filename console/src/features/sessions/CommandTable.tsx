import { useMemo, useState } from 'react';
import { CommandOutput } from '#/domain/commands/CommandOutput';
import { CommandRisk } from '#/domain/commands/CommandRisk';
import { type CommandRow, isRefused } from '#/domain/commands/command-row';
import { CommandText } from '#/domain/commands/CommandText';
import { useT } from '#/lib/i18n';
import { exactStamp, parseTime } from '#/lib/time';
import { Checkbox } from '#/ui/choice';
import { StateView } from '#/ui/states';
import { Table, type TableColumn } from '#/ui/table';
import { visible, VisibleText } from '#/ui/visible-text';
import { clockText } from '#/lib/clock-text';

type Seek = ((ms: number) => void) | null;

function Place({ row, onSeek }: { readonly row: CommandRow; readonly onSeek: Seek }) {
  if (!onSeek) return <span className="font-mono">{clockText(row.offset_ms)}</span>;
  return (
    <button type="button" className="pt-link min-h-6 font-mono" onClick={() => onSeek(row.offset_ms)}>
      {clockText(row.offset_ms)}
    </button>
  );
}

function Output({ command }: { readonly command: CommandRow }) {
  const output = <CommandOutput command={command} empty="" />;
  if (isRefused(command) || command.output === '') return output;
  return (
    <details>
      <summary className="truncate font-mono text-meta text-ink-2">
        <VisibleText text={command.output.split('\n', 1)[0] ?? ''} />
      </summary>
      {output}
    </details>
  );
}

function Time({ seconds }: { readonly seconds: number }) {
  const time = parseTime(seconds);
  return <span className="tabular-nums">{time ? exactStamp(time) : ''}</span>;
}

const text = (row: CommandRow) => <CommandText command={row} />;
const output = (row: CommandRow) => <Output command={row} />;
const risk = (row: CommandRow) => <CommandRisk command={row} />;
const kind = (row: CommandRow) => row.kind_display;
const time = (row: CommandRow) => <Time seconds={row.timestamp} />;

/** All commands of a session with the beginning of their output. */
export function CommandTable({
  commands,
  onSeek,
}: {
  readonly commands: readonly CommandRow[] | undefined;
  readonly onSeek: Seek;
}) {
  const t = useT();
  const columns = useMemo<readonly TableColumn<CommandRow>[]>(() => {
    // oxlint-disable-next-line react/no-unstable-nested-components -- a cell function bound to the jump of this page
    const place = (row: CommandRow) => <Place row={row} onSeek={onSeek} />;
    return [
      { key: 'offset_ms', label: t('sessions:field.place'), width: 90, cell: place },
      { key: 'input', label: t('sessions:field.command'), cell: text },
      { key: 'output', label: t('sessions:field.output'), cell: output },
      { key: 'risk_level', label: t('sessions:field.risk'), cell: risk },
      { key: 'kind', label: t('sessions:field.kind'), cell: kind },
      { key: 'timestamp', label: t('sessions:field.time'), cell: time },
    ];
  }, [t, onSeek]);
  const [onlyDangerous, setOnlyDangerous] = useState(false);
  const dangerous = commands?.filter((row) => row.risk_level > 0) ?? [];
  return (
    <div className="pt-card overflow-x-auto">
      {dangerous.length > 0 && (
        <p className="border-b border-line px-3.5 py-2">
          <Checkbox checked={onlyDangerous} onChange={(event) => setOnlyDangerous(event.target.checked)}>
            {t('sessions:only_dangerous', { count: dangerous.length })}
          </Checkbox>
        </p>
      )}
      <Table
        label={t('sessions:commands')}
        columns={columns}
        rows={onlyDangerous ? dangerous : commands}
        rowId={(row) => row.id}
        rowName={(row) => visible(row.input)}
        placeholder={
          commands?.length === 0 ? (
            <StateView drawing="empty" title={t('sessions:no_commands')}>
              {t('sessions:no_commands_why')}
            </StateView>
          ) : undefined
        }
      />
    </div>
  );
}
