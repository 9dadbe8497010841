import { useMemo } from 'react';
import { useT } from '#/lib/i18n';
import { exactStamp, parseTime } from '#/lib/time';
import { StateView } from '#/ui/states';
import { Badge } from '#/ui/status';
import { Table, type TableColumn } from '#/ui/table';
import { visible, VisibleText } from '#/ui/visible-text';
import type { CommandRow } from './api';
import { clockText } from './clock-text';
import { CommandText } from './CommandPanel';

type Seek = ((ms: number) => void) | null;

function Place({ row, onSeek }: { readonly row: CommandRow; readonly onSeek: Seek }) {
  if (!onSeek) return <span className="font-mono">{clockText(row.offset_ms)}</span>;
  return (
    <button type="button" className="pt-link min-h-6 font-mono" onClick={() => onSeek(row.offset_ms)}>
      {clockText(row.offset_ms)}
    </button>
  );
}

function Output({ text }: { readonly text: string }) {
  if (text === '') return null;
  return (
    <details>
      <summary className="truncate font-mono text-meta text-ink-2">
        <VisibleText text={text.split('\n', 1)[0] ?? ''} />
      </summary>
      <pre className="mt-1 max-h-60 overflow-auto rounded-2 bg-term-bg p-2 font-mono text-meta whitespace-pre text-term-fg">
        {visible(text)}
      </pre>
    </details>
  );
}

function Risk({ level }: { readonly level: number }) {
  const t = useT();
  return level > 0 ? <Badge tone="danger">{t('sessions:dangerous')}</Badge> : t('sessions:ordinary');
}

function Time({ seconds }: { readonly seconds: number }) {
  const time = parseTime(seconds);
  return <span className="tabular-nums">{time ? exactStamp(time) : ''}</span>;
}

const text = (row: CommandRow) => <CommandText command={row} />;
const output = (row: CommandRow) => <Output text={row.output} />;
const risk = (row: CommandRow) => <Risk level={row.risk_level} />;
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
  return (
    <div className="pt-card overflow-x-auto">
      <Table
        label={t('sessions:commands')}
        columns={columns}
        rows={commands}
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
