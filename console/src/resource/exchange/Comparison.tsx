import { useState } from 'react';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { Dialog } from '#/ui/dialog';
import type { FieldMap } from '../api';
import { shownCell } from './cell-choices';
import type { CellChange, ImportColumn, ImportRow } from './import-row';
import { PageTurner } from './PageTurner';

const PAGE_SIZE = 15;

/** What the updates of the file change: `3 IP, 12 Labels`. */
export function changedColumns(rows: readonly ImportRow[], columns: readonly ImportColumn[]): string {
  const counts = new Map<string, number>();
  for (const row of rows)
    for (const { field } of row.forecast?.changes ?? []) counts.set(field, (counts.get(field) ?? 0) + 1);
  return [...counts]
    .map(([field, count]) => {
      const label = columns.find((column) => column.field === field)?.label ?? field;
      return `${count.toLocaleString('en')} ${label}`;
    })
    .join(', ');
}

interface Line {
  readonly row: ImportRow;
  readonly change: CellChange;
}

/** Each value that the updates change: row, column, before, after. */
export function Comparison({
  rows,
  columns,
  fields,
  onClose,
}: {
  readonly rows: readonly ImportRow[];
  readonly columns: readonly ImportColumn[];
  readonly fields: FieldMap;
  readonly onClose: () => void;
}) {
  const t = useT();
  const [page, setPage] = useState(0);
  const lines = rows.flatMap((row) => (row.forecast?.changes ?? []).map((change): Line => ({ row, change })));
  const pages = Math.max(1, Math.ceil(lines.length / PAGE_SIZE));
  const shown = lines.slice(page * PAGE_SIZE, (page + 1) * PAGE_SIZE);
  const text = (change: CellChange, value: unknown) => {
    if (change.isSecret) return t('exchange:check.secret');
    const cell = shownCell(fields[change.field], value);
    return cell === '' ? '—' : cell;
  };
  return (
    <Dialog
      size="wizard"
      isOpen
      title={t('exchange:check.compare_title', { count: lines.length })}
      onClose={onClose}
      footer={<Button onClick={onClose}>{t('exchange:import.close')}</Button>}
    >
      <div
        className="-mx-4 overflow-x-auto"
        // Makes the box scrollable by keyboard.
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        role="region"
        aria-label={t('exchange:check.compare')}
      >
        <table className="pt-table min-w-[560px] table-fixed">
          <colgroup>
            <col style={{ width: 56 }} />
            <col style={{ width: 140 }} />
            <col />
            <col />
          </colgroup>
          <thead>
            <tr>
              <th scope="col">{t('exchange:import.row')}</th>
              <th scope="col">{t('exchange:check.column')}</th>
              <th scope="col">{t('exchange:check.before')}</th>
              <th scope="col">{t('exchange:check.after')}</th>
            </tr>
          </thead>
          <tbody>
            {shown.map(({ row, change }) => (
              <tr key={`${row.number}-${change.field}`}>
                <td className="text-ink-2 tabular-nums">{row.number}</td>
                <td className="truncate">
                  {columns.find(({ field }) => field === change.field)?.label ?? change.field}
                </td>
                <td className="truncate text-ink-2" title={text(change, change.before)}>
                  {change.isSecret ? '—' : text(change, change.before)}
                </td>
                <td className="truncate font-medium" title={text(change, change.after)}>
                  {text(change, change.after)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="mt-2">
        <PageTurner page={page} pages={pages} onTurn={setPage} />
      </div>
    </Dialog>
  );
}
