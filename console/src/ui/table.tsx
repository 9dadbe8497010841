import { ArrowDown, ArrowUp, ChevronRight, Ellipsis } from 'lucide-react';
import {
  type DragEvent,
  memo,
  type ReactNode,
  useCallback,
  useContext,
  useEffect,
  useRef,
  useState,
} from 'react';
import { type Translate, useT } from '#/lib/i18n';
import { Checkbox } from './choice';
import { markCutEdges } from './cut-edges';
import { AnchoredMenu, type MenuEntry } from './menu';
import { RowDrag } from './row-drag';
import { ProgressLine, Skeleton } from './skeleton';

export interface TableColumn<Row> {
  readonly key: string;
  readonly label: string;
  readonly cell: (row: Row) => ReactNode;
  /** The server can order by this key. */
  readonly sortable?: boolean;
  readonly align?: 'right' | 'center';
  readonly width?: number;
}

/** Height of the rows: 28, 32 or 40 px. */
export type Density = 'compact' | 'normal' | 'comfortable';

const ALIGN = { right: 'text-right tabular-nums', center: 'text-center' } as const;
const HEAD_ALIGN = { right: 'text-right!', center: 'text-center!' } as const;
/** With more actions than this, all except the first are under More. */
const ACTIONS_SHOWN = 2;

export interface RowAction<Row> extends Omit<MenuEntry, 'run' | 'href'> {
  readonly run?: (row: Row) => void;
}

export interface TableProps<Row> {
  /** Names the table for assistive technology. */
  readonly label: string;
  readonly columns: readonly TableColumn<Row>[];
  /** Absent while the first page is loading: a skeleton in the final layout is shown. */
  readonly rows: readonly Row[] | undefined;
  readonly rowId: (row: Row) => string;
  readonly rowName: (row: Row) => string;
  readonly skeletonRows?: number;
  readonly busy?: boolean;
  /** `hostname` or `-hostname`. */
  readonly order?: string;
  readonly onOrder?: (order: string) => void;
  readonly selection?: {
    readonly chosen: ReadonlySet<string>;
    readonly onChange: (chosen: ReadonlySet<string>) => void;
  };
  /** Actions at the end of the row: one or two in words; of more, the first action in words and the rest under More. */
  readonly actions?: (row: Row) => readonly RowAction<Row>[];
  /** Content below a row when it is expanded. */
  readonly details?: (row: Row) => ReactNode;
  readonly isInactive?: (row: Row) => boolean;
  readonly current?: string;
  readonly density?: Density;
  /** Shown instead of rows: empty, no match, failed. */
  readonly placeholder?: ReactNode;
}

interface RowProps<Row> {
  readonly row: Row;
  readonly id: string;
  readonly name: string;
  readonly columns: readonly TableColumn<Row>[];
  readonly selectable: boolean;
  readonly chosen: boolean;
  readonly inactive: boolean;
  readonly isCurrent: boolean;
  readonly actions: TableProps<Row>['actions'];
  readonly details: TableProps<Row>['details'];
  readonly isOpen: boolean;
  readonly draggable: boolean;
  readonly onOpen: (id: string) => void;
  readonly onToggle: (id: string) => void;
  readonly onMenu: (anchor: HTMLElement, row: Row) => void;
  readonly t: Translate;
}

function RowOf<Row>(props: RowProps<Row>) {
  const { row, id, name, columns, actions, t } = props;
  const offered = actions?.(row) ?? [];
  const inWords = offered.length > ACTIONS_SHOWN ? offered.slice(0, 1) : offered;
  const line = (
    <tr
      data-row={id}
      draggable={props.draggable || undefined}
      aria-selected={props.selectable ? props.chosen : undefined}
      data-inactive={props.inactive || undefined}
      data-current={props.isCurrent || undefined}
    >
      {props.selectable && (
        <td className="w-9 p-0! text-center">
          <Checkbox
            aria-label={t('ui:table.select_row', { name })}
            checked={props.chosen}
            onChange={() => props.onToggle(id)}
          />
        </td>
      )}
      {columns.map((column, index) => (
        <td
          key={column.key}
          className={`${index === 0 ? 'pt-sticky-start' : ''} ${column.align ? ALIGN[column.align] : ''}`}
        >
          {index === 0 && props.details ? (
            <span className="flex items-center gap-1">
              <Opener id={id} name={name} isOpen={props.isOpen} onOpen={props.onOpen} t={t} />
              <span className="min-w-0 truncate">{column.cell(row)}</span>
            </span>
          ) : (
            column.cell(row)
          )}
        </td>
      ))}
      {actions && (
        <td className="pt-sticky-end">
          <span className="flex items-center justify-end gap-1">
            {inWords.map((action) => (
              <button
                key={action.id}
                type="button"
                className={`min-h-6 rounded-1 px-1 aria-disabled:text-ink-3 aria-disabled:no-underline ${
                  action.danger ? 'text-ink-2 hover:text-danger focus-visible:text-danger' : 'pt-link'
                }`}
                aria-label={`${action.label} ${name}`}
                aria-disabled={action.disabledReason !== undefined || undefined}
                title={action.disabledReason}
                onClick={() => {
                  if (action.disabledReason === undefined) action.run?.(row);
                }}
              >
                {action.label}
              </button>
            ))}
            {offered.length > inWords.length && (
              <button
                type="button"
                className="grid size-6 place-items-center rounded-2 text-ink-3 hover:bg-hover hover:text-ink-1"
                aria-label={t('ui:table.row_actions', { name })}
                aria-haspopup="menu"
                onClick={(event) => props.onMenu(event.currentTarget, row)}
              >
                <Ellipsis aria-hidden />
              </button>
            )}
          </span>
        </td>
      )}
    </tr>
  );
  if (!props.details || !props.isOpen) return line;
  const width = columns.length + (props.selectable ? 1 : 0) + (actions ? 1 : 0);
  return (
    <>
      {line}
      <tr className="pt-details">
        <td colSpan={width}>
          {/* As wide as the visible part of the table, and still in view when the table is scrolled sideways. */}
          <div className="sticky left-3 w-[calc(100cqi-24px)]">{props.details(row)}</div>
        </td>
      </tr>
    </>
  );
}

function Opener({
  id,
  name,
  isOpen,
  onOpen,
  t,
}: Pick<RowProps<never>, 'id' | 'name' | 'isOpen' | 'onOpen' | 't'>) {
  return (
    <button
      type="button"
      className="grid size-6 flex-none place-items-center rounded-2 text-ink-3 hover:bg-hover hover:text-ink-1"
      aria-expanded={isOpen}
      aria-label={t('ui:table.details', { name })}
      onClick={() => onOpen(id)}
    >
      <ChevronRight
        className={`size-[14px]! transition-transform ${isOpen ? 'rotate-90' : ''}`}
        aria-hidden
      />
    </button>
  );
}

// Memoized, so that selecting one row of a hundred renders one row.
const Row = memo(RowOf) as typeof RowOf;

function HeadCell<Row>({
  column,
  sticky,
  order,
  onOrder,
}: {
  readonly column: TableColumn<Row>;
  readonly sticky: boolean;
  readonly order: string | undefined;
  readonly onOrder: TableProps<Row>['onOrder'];
}) {
  const t = useT();
  const ascending = order === column.key;
  const descending = order === `-${column.key}`;
  const Arrow = descending ? ArrowDown : ArrowUp;
  return (
    <th
      scope="col"
      aria-sort={ascending ? 'ascending' : descending ? 'descending' : undefined}
      className={`${sticky ? 'pt-sticky-start' : ''} ${column.align ? HEAD_ALIGN[column.align] : ''}`}
      // The widths come from the resource, so they cannot be CSS classes.
      style={column.width === undefined ? undefined : { width: column.width }}
    >
      {column.sortable && onOrder ? (
        <button
          type="button"
          className={`inline-flex min-h-6 items-center gap-1 rounded-1 font-medium hover:text-ink-1 ${ascending || descending ? 'text-ink-1' : ''}`}
          title={t('ui:table.sort', { label: column.label })}
          onClick={() => onOrder(ascending ? `-${column.key}` : descending ? '' : column.key)}
        >
          {column.label}
          {(ascending || descending) && <Arrow className="size-[14px]!" aria-hidden />}
        </button>
      ) : (
        column.label
      )}
    </th>
  );
}

function SkeletonRows({
  columns,
  rows,
  selectable,
}: {
  readonly columns: number;
  readonly rows: number;
  readonly selectable: boolean;
}) {
  return Array.from({ length: rows }, (_, row) => (
    <tr key={row} aria-hidden>
      {selectable && (
        <td className="w-9 p-0! text-center">
          <Skeleton className="mx-auto size-[14px]!" />
        </td>
      )}
      {Array.from({ length: columns }, (_, column) => (
        <td key={column}>
          <Skeleton
            className={column === columns - 1 ? 'w-8' : ['w-20', 'w-12', 'w-16'][(row + column) % 3]}
          />
        </td>
      ))}
    </tr>
  ));
}

/** Selects or deselects one row. The function is the same in every render, so that one click does not render all rows. */
function useRowToggle<Row>(selection: TableProps<Row>['selection']): (id: string) => void {
  const latest = useRef(selection);
  useEffect(() => {
    latest.current = selection;
  });
  return useCallback((id: string) => {
    const now = latest.current;
    if (!now) return;
    const next = new Set(now.chosen);
    if (!next.delete(id)) next.add(id);
    now.onChange(next);
  }, []);
}

/** Starts the drag of the row under the pointer, or of the selection that it belongs to. */
function useRowDrag<Row>({ selection }: TableProps<Row>) {
  const start = useContext(RowDrag);
  if (!start) return undefined;
  return (event: DragEvent) => {
    const row = event.target instanceof Element ? event.target.closest('tr')?.dataset['row'] : undefined;
    if (row === undefined) return;
    const isChosen = selection?.chosen.has(row) ?? false;
    start(event, isChosen && selection ? [...selection.chosen] : [row], () => selection?.onChange(new Set()));
  };
}

interface HeadProps<Row> extends TableProps<Row> {
  readonly ids: readonly string[];
  /** Selected rows of this page. */
  readonly chosenHere: readonly string[];
}

function Head<Row>({ columns, selection, actions, order, onOrder, ids, chosenHere }: HeadProps<Row>) {
  const t = useT();
  const toggleAll = () => {
    if (!selection) return;
    const next = new Set(selection.chosen);
    if (chosenHere.length === ids.length) for (const id of ids) next.delete(id);
    else for (const id of ids) next.add(id);
    selection.onChange(next);
  };
  return (
    <thead>
      <tr>
        {selection && (
          <th scope="col" className="w-9 p-0! text-center!">
            <Checkbox
              aria-label={t('ui:table.select_all')}
              checked={ids.length > 0 && chosenHere.length === ids.length}
              indeterminate={chosenHere.length > 0 && chosenHere.length < ids.length}
              disabled={ids.length === 0}
              onChange={toggleAll}
            />
          </th>
        )}
        {columns.map((column, index) => (
          <HeadCell key={column.key} column={column} sticky={index === 0} order={order} onOrder={onOrder} />
        ))}
        {actions && (
          <th scope="col" className="pt-sticky-end text-right!">
            {t('ui:table.actions')}
          </th>
        )}
      </tr>
    </thead>
  );
}

/** A plain table: sticky head, first column and actions; horizontal lines; selection; one shared row menu. */
export function Table<Row>(props: TableProps<Row>) {
  const { columns, rows, rowId, rowName, selection, actions } = props;
  const t = useT();
  const [menu, setMenu] = useState<{ readonly row: Row } | null>(null);
  const anchor = useRef<HTMLElement | null>(null);
  const ids = rows?.map(rowId) ?? [];
  const chosenHere = selection ? ids.filter((id) => selection.chosen.has(id)) : [];

  const toggle = useRowToggle(selection);
  const drag = useRowDrag(props);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const open = useCallback((id: string) => {
    setOpened((old) => {
      const next = new Set(old);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  }, []);
  const openMenu = useCallback((element: HTMLElement, row: Row) => {
    anchor.current = element;
    setMenu({ row });
  }, []);
  return (
    <div className="relative flex min-h-0 grow flex-col">
      <ProgressLine busy={Boolean(props.busy && rows)} />
      {/* Scrollable by keyboard, even when nothing inside can be focused. */}
      <div
        ref={markCutEdges}
        className="@container min-h-0 grow overflow-auto"
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
        tabIndex={0}
        role="region"
        aria-label={props.label}
      >
        <table className="pt-table" data-density={props.density} aria-busy={props.busy || rows === undefined}>
          <Head {...props} ids={ids} chosenHere={chosenHere} />
          <tbody onDragStart={drag}>
            {rows ? (
              rows.map((row) => {
                const id = rowId(row);
                return (
                  <Row
                    key={id}
                    id={id}
                    row={row}
                    name={rowName(row)}
                    columns={columns}
                    selectable={selection !== undefined}
                    chosen={selection?.chosen.has(id) ?? false}
                    inactive={props.isInactive?.(row) ?? false}
                    isCurrent={props.current === id}
                    actions={actions}
                    details={props.details}
                    isOpen={opened.has(id)}
                    draggable={drag !== undefined}
                    onOpen={open}
                    onToggle={toggle}
                    onMenu={openMenu}
                    t={t}
                  />
                );
              })
            ) : props.placeholder === undefined ? (
              <SkeletonRows
                columns={columns.length + (actions ? 1 : 0)}
                rows={props.skeletonRows ?? 8}
                selectable={selection !== undefined}
              />
            ) : null}
          </tbody>
        </table>
        {props.placeholder}
      </div>
      {menu && (
        <AnchoredMenu
          anchor={anchor}
          label={t('ui:table.row_actions', { name: rowName(menu.row) })}
          entries={(actions?.(menu.row) ?? []).slice(1).map(({ run, ...entry }) => ({
            ...entry,
            run: () => run?.(menu.row),
          }))}
          onClose={() => setMenu(null)}
        />
      )}
    </div>
  );
}
