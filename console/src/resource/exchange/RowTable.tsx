import { memo, type ReactNode, useMemo } from 'react';
import { useT } from '#/lib/i18n';
import type { FieldMap } from '../api';
import { meantCell, shownCell } from './cell-choices';
import { EditableCell } from './EditableCell';
import { cellText, columnWidth, type ImportColumn, type ImportRow } from './import-row';
import { IMPORT_PAGE_SIZE, type RunSnapshot } from './import-run';
import { remedyFor } from './remedy';
import { RowResult } from './RowResult';

/** Minimum width of the last column; it takes the remaining space. */
const RESULT_PX = 240;
const NUMBER_PX = 56;

export interface ShownRow {
  readonly index: number;
  readonly row: ImportRow;
  readonly isCurrent: boolean;
}

/** Rows of one page with their index in the file. */
export function rowsOfPage(
  snapshot: RunSnapshot,
  indexes: readonly number[],
  page: number,
): readonly ShownRow[] {
  return indexes.slice(page * IMPORT_PAGE_SIZE, (page + 1) * IMPORT_PAGE_SIZE).flatMap((index) => {
    const row = snapshot.rows[index];
    return row ? [{ index, row, isCurrent: index === snapshot.current }] : [];
  });
}

export interface RowsProps {
  readonly columns: readonly ImportColumn[];
  /** All rows of the file, so that column widths do not change from page to page. */
  readonly rows: readonly ImportRow[];
  readonly shown: readonly ShownRow[];
  /** Metadata of POST: its choices are suggested for wrong values. */
  readonly fields: FieldMap;
  readonly onEdit: (index: number, field: string, text: string) => void;
  readonly onEditing: (index: number | null) => void;
  /** Called after Enter in a cell; returns whether it moves the focus itself. */
  readonly onTaken?: (rowNumber: number) => boolean;
  /** Heading and content of the last column, where it is not the result of the run. */
  readonly resultTitle?: string;
  readonly result?: (entry: ShownRow) => ReactNode;
}

interface LineProps
  extends ShownRow, Pick<RowsProps, 'columns' | 'fields' | 'onEdit' | 'onEditing' | 'onTaken' | 'result'> {}

function Cell({ column, line }: { readonly column: ImportColumn; readonly line: LineProps }) {
  const { row, index, fields } = line;
  const meta = fields[column.field];
  const value = row.values[column.field];
  return (
    <EditableCell
      column={column.label}
      rowNumber={row.number}
      value={shownCell(meta, value)}
      problem={row.problems.find((problem) => problem.field === column.field)?.text}
      onCommit={(text) => line.onEdit(index, column.field, meantCell(meta, text, value))}
      onEditing={(editing) => line.onEditing(editing ? index : null)}
      onTaken={line.onTaken}
    />
  );
}

function Result({ line }: { readonly line: LineProps }) {
  const { row, index, isCurrent, fields, onEdit, result } = line;
  if (result) return result({ row, index, isCurrent });
  return (
    <RowResult
      row={row}
      isCurrent={isCurrent}
      remedy={row.state === 'error' ? remedyFor(row, fields) : null}
      onRemedy={({ field, value }) => onEdit(index, field, cellText(value))}
    />
  );
}

function LineOf(line: LineProps) {
  return (
    <tr data-current={line.isCurrent || undefined}>
      <td className="pt-sticky-start text-ink-2 tabular-nums">{line.row.number}</td>
      {line.columns.map((column) => (
        <td key={column.field} className="p-0!">
          <Cell column={column} line={line} />
        </td>
      ))}
      <td className="pt-sticky-end">
        <Result line={line} />
      </td>
    </tr>
  );
}

// Memoized, so that saving one row does not redraw the ten others.
const Line = memo(LineOf);

/** The rows as a table; its first and last column stay visible. */
export function RowTable({ columns, rows, shown, resultTitle, ...rest }: RowsProps) {
  const t = useT();
  const widths = useMemo(
    () =>
      columns.map(({ field, label }) =>
        columnWidth(
          label,
          rows.map((row) => row.values[field]),
        ),
      ),
    // Widths are computed once from the original file: typing must not move columns.
    // oxlint-disable-next-line react/exhaustive-deps
    [columns],
  );
  const least = widths.reduce((sum, width) => sum + width, NUMBER_PX + RESULT_PX);
  return (
    // Makes the box scrollable by keyboard.
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={t('exchange:import.table')}>
      <table className="pt-table table-fixed" style={{ minWidth: least }}>
        <colgroup>
          <col style={{ width: NUMBER_PX }} />
          {columns.map((column, index) => (
            <col key={column.field} style={{ width: widths[index] }} />
          ))}
          <col />
        </colgroup>
        <thead>
          <tr>
            <th scope="col" className="pt-sticky-start">
              {t('exchange:import.row')}
            </th>
            {columns.map(({ field, label, required }) => (
              <th key={field} scope="col" className="truncate" title={label}>
                {label}
                {required && (
                  <span className="ml-1 text-danger" aria-hidden>
                    *
                  </span>
                )}
              </th>
            ))}
            <th scope="col" className="pt-sticky-end">
              {resultTitle ?? t('exchange:import.result')}
            </th>
          </tr>
        </thead>
        <tbody>
          {shown.map((entry) => (
            <Line key={entry.index} {...entry} columns={columns} {...rest} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The rows as cards, for phones. */
export function RowCards({ columns, shown, fields, onEdit, onEditing, onTaken, result }: RowsProps) {
  const t = useT();
  return (
    <ul className="grid grid-cols-1 gap-2" aria-label={t('exchange:import.table')}>
      {shown.map((entry) => {
        const line: LineProps = { ...entry, columns, fields, onEdit, onEditing, onTaken, result };
        return (
          <li key={entry.index} className="rounded-2 border border-line">
            <div className="grid gap-1 border-b border-line bg-surface-2 px-2.5 py-1.5">
              <span className="text-meta text-ink-2">
                {t('exchange:import.row_number', { number: entry.row.number })}
              </span>
              <Result line={line} />
            </div>
            <dl className="grid grid-cols-[minmax(0,2fr)_minmax(0,3fr)] items-center">
              {columns.map((column) => (
                <div key={column.field} className="contents">
                  <dt className="truncate px-2.5 text-ink-2">
                    {column.label}
                    {column.required && (
                      <span className="ml-1 text-danger" aria-hidden>
                        *
                      </span>
                    )}
                  </dt>
                  <dd>
                    <Cell column={column} line={line} />
                  </dd>
                </div>
              ))}
            </dl>
          </li>
        );
      })}
    </ul>
  );
}
