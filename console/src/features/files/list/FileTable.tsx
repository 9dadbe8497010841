import { type ReactNode, useCallback, useEffect, useId, useMemo, useRef } from 'react';
import { useT } from '#/lib/i18n';
import { useRowsInView } from '#/ui/rows-in-view';
import { ProgressLine } from '#/ui/skeleton';
import { useMedia } from '#/ui/use-media';
import type { Entry } from '../contract';
import type { Order } from './arrange';
import { COLUMNS } from './columns';
import { FileRow } from './FileRow';
import { HeadRow } from './HeadRow';
import { handleListKey, type ListKeys, type Typed } from './list-keys';
import { type How, select } from './selection';
import { useWidth } from './use-width';

const ROW_PX = 32;
/** Touch needs larger targets. */
const TOUCH_ROW_PX = 44;

export interface FileTableProps extends Omit<ListKeys, 'names' | 'onShow'> {
  readonly label: string;
  readonly rows: readonly Entry[];
  readonly isReading: boolean;
  readonly order: Order;
  readonly onOrder: (order: Order) => void;
  /** Shown below the head when there are no rows. */
  readonly placeholder: ReactNode;
}

/** The entries of a folder, of which those in view are drawn: one tab stop, see `list-keys.ts`. */
export function FileTable(props: FileTableProps) {
  const { rows, ids, selection, onSelection, onOpen } = props;
  const t = useT();
  const base = useId();
  const typed = useRef<Typed>({ text: '', at: 0 });
  const rowPx = useMedia('(width < 640px)') ? TOUCH_ROW_PX : ROW_PX;
  const view = useRowsInView(rows.length, rowPx);
  const width = useWidth(view.box);
  const columns = useMemo(() => COLUMNS.filter(({ from }) => width >= from), [width]);
  const template = ['minmax(0, 1fr)', ...columns.map((column) => column.width)].join(' ');
  const names = useMemo(() => rows.map(({ name }) => name.text), [rows]);
  // The rows keep the same functions, so that only those that change are drawn.
  const latest = useRef({ ids, selection, onSelection, onOpen });
  useEffect(() => {
    latest.current = { ids, selection, onSelection, onOpen };
  });
  const pick = useCallback((at: number, how: How) => {
    const now = latest.current;
    now.onSelection(select(now.selection, now.ids, at, how));
  }, []);
  const open = useCallback((at: number) => latest.current.onOpen(at), []);
  const isShown = selection.cursor !== null && ids.includes(selection.cursor);
  return (
    <div className="relative flex min-h-0 grow flex-col">
      <ProgressLine busy={props.isReading} />
      <p id={`${base}-keys`} className="sr-only">
        {t('files:list.keys')}
      </p>
      <div
        ref={view.box}
        role="grid"
        aria-label={props.label}
        aria-multiselectable
        aria-busy={props.isReading}
        aria-rowcount={rows.length + 1}
        aria-colcount={columns.length + 1}
        aria-activedescendant={isShown ? `${base}-${selection.cursor}` : undefined}
        aria-describedby={`${base}-keys`}
        tabIndex={0}
        className="group relative min-h-0 grow overflow-y-auto bg-surface-1 outline-offset-[-2px]"
        onScroll={view.onScroll}
        onKeyDown={(event) => {
          // The buttons of the head have keys of their own.
          if (event.target !== event.currentTarget) return;
          handleListKey(event, { ...props, names, onShow: view.show }, typed.current);
        }}
      >
        <HeadRow columns={columns} template={template} order={props.order} onOrder={props.onOrder} />
        <div
          className="relative"
          style={{ height: rows.length * rowPx }}
          role={rows.length > 0 ? 'rowgroup' : undefined}
        >
          {rows.slice(view.first, view.end).map((entry, shown) => {
            const at = view.first + shown;
            return (
              <FileRow
                key={entry.name.id}
                id={`${base}-${entry.name.id}`}
                entry={entry}
                at={at}
                top={at * rowPx}
                height={rowPx}
                template={template}
                columns={columns}
                isChosen={selection.chosen.has(entry.name.id)}
                isCursor={selection.cursor === entry.name.id}
                onPick={pick}
                onOpen={open}
              />
            );
          })}
        </div>
      </div>
      {rows.length === 0 && (
        <div className="pointer-events-none absolute inset-x-0 bottom-0 top-8 grid place-items-center overflow-auto [&_button]:pointer-events-auto">
          {props.placeholder}
        </div>
      )}
    </div>
  );
}
