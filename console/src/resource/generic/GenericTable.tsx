import { ChevronDown, ChevronRight, Eye, FolderPlus, Pencil, Plus, RefreshCw, Trash2 } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { cleanQuery, type QueryValues } from '#/lib/http/query-string';
import { useT } from '#/lib/i18n';
import { Button, IconButton } from '#/ui/button';
import { Pager } from '#/ui/pager';
import { FailedState, StateView } from '#/ui/states';
import { type RowAction, Table, type TableColumn } from '#/ui/table';
import { toast } from '#/ui/toast';
import type { FormValues } from '../define';
import { AutoCell, textOf, valueOf } from '../format';
import { EditableCell } from './EditableCell';
import { removeRows } from './remove-rows';
import type { DialogField, DialogMode } from './RowDialog';
import type { RowPage, RowSource } from './row-source';
import type { RowWrites } from './row-writes';
import { type GenericSearchField, SearchForm } from './SearchForm';
import { type TreeKeys, type TreeRow, treeRows } from './tree-rows';
import { useRows } from './use-rows';
import { GENERIC_PAGE_SIZES, useTableState } from './use-table-state';

// Most visits of a table only read it.
const RowDialog = lazy(async () => ({ default: (await import('./RowDialog')).RowDialog }));

const INDENT_PX = 16;

export interface GenericColumn<Row> {
  readonly key: string;
  readonly label: string;
  /** Default: the `_display` field of the column, else the raw value. */
  readonly cell?: (row: Row, reload: () => void) => ReactNode;
  readonly sortable?: boolean;
  /** Edited in place; the change goes to `writes.update` and `onCellChange`. */
  readonly editable?: boolean;
}

export interface GenericTableProps<Row extends object> {
  readonly label: string;
  /** What a row is, for titles and questions. */
  readonly noun: string;
  readonly source: RowSource<Row>;
  readonly columns: readonly GenericColumn<Row>[];
  readonly rowName: (row: Row) => string;
  readonly idKey?: string;
  /** Absent: rows are read only. */
  readonly writes?: RowWrites<Row>;
  /** Fields of the dialogs new, edit and view. */
  readonly dialog?: readonly DialogField[];
  readonly search?: readonly GenericSearchField[];
  readonly extraQuery?: QueryValues;
  /** Default true; false keeps search, order and page in memory. */
  readonly searchInAddress?: boolean;
  readonly paginated?: boolean;
  readonly tree?: TreeKeys;
  readonly selectable?: boolean;
  readonly onLoad?: (page: RowPage<Row>) => void;
  readonly onError?: (error: unknown) => void;
  readonly onChoose?: (ids: ReadonlySet<string>) => void;
  readonly onCellChange?: (row: Row, key: string, value: unknown) => void;
}

interface OpenDialog<Row> {
  readonly mode: DialogMode;
  readonly row: Row | null;
  readonly parent: Row | null;
}

/** A table over any endpoint, whatever its dialect: search, order, pages or a tree, dialogs, editable cells. */
export function GenericTable<Row extends object>(props: GenericTableProps<Row>) {
  const { source, columns, rowName, writes, dialog, tree, search = [], extraQuery, paginated = true } = props;
  const idKey = props.idKey ?? 'id';
  const t = useT();
  const state = useTableState(
    search.map((field) => field.key),
    props.searchInAddress ?? true,
  );
  const result = useRows(
    source,
    {
      page: state.page,
      size: state.size,
      order: state.order,
      conditions: cleanQuery({ ...state.search, ...extraQuery }),
      ...(paginated ? {} : { unpaged: true }),
    },
    state.setPage,
  );
  const { data, error, refetch } = result;
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [open, setOpen] = useState<OpenDialog<Row> | null>(null);
  const events = useRef(props);
  useEffect(() => {
    events.current = props;
  });
  useEffect(() => {
    if (error) events.current.onError?.(error);
  }, [error]);
  useEffect(() => {
    if (data) events.current.onLoad?.(data);
  }, [data]);

  const idOf = (row: Row): string => textOf(valueOf(row, idKey));
  const reload = () => void refetch();
  const choose = (ids: ReadonlySet<string>) => {
    setChosen(ids);
    props.onChoose?.(ids);
  };
  const rows: readonly TreeRow<Row>[] | undefined = useMemo(() => {
    if (error) return [];
    if (!data) return undefined;
    if (tree) return treeRows(data.rows, expanded, { ...tree, idKey });
    return data.rows.map((row) => ({ row, depth: 0, isBranch: false, expanded: false }));
  }, [data, error, tree, expanded, idKey]);

  const remove = async (targets: readonly Row[]) => {
    if (!writes) return;
    if (!(await removeRows(targets.map(rowName), () => writes.remove(targets.map(idOf))))) return;
    const gone = new Set(targets.map(idOf));
    choose(new Set([...chosen].filter((id) => !gone.has(id))));
    reload();
  };
  const editCell = async (row: Row, key: string, value: unknown) => {
    props.onCellChange?.(row, key, value);
    try {
      await writes?.update(row, { [key]: value });
    } catch (failure) {
      props.onError?.(failure);
      toast({ tone: 'error', text: t('resource:form.update_failed', { reason: explain(failure) }) });
      throw failure;
    }
  };
  const toggle = (id: string) => {
    const next = new Set(expanded);
    if (!next.delete(id)) next.add(id);
    setExpanded(next);
  };

  const contentOf = (column: GenericColumn<Row>, row: Row): ReactNode => {
    if (column.editable) {
      return (
        <EditableCell
          value={valueOf(row, column.key)}
          label={`${rowName(row)} ${column.label}`}
          key={textOf(valueOf(row, column.key))}
          onChange={(value) => editCell(row, column.key, value)}
        />
      );
    }
    return column.cell?.(row, reload) ?? <AutoCell row={row} name={column.key} meta={undefined} />;
  };
  const branch = (item: TreeRow<Row>, column: GenericColumn<Row>): ReactNode => (
    // Depth is data, not design.
    <span className="flex items-center gap-1" style={{ paddingLeft: item.depth * INDENT_PX }}>
      {item.isBranch ? (
        <IconButton
          kind="text"
          size="sm"
          icon={item.expanded ? ChevronDown : ChevronRight}
          label={t(item.expanded ? 'ui:tree.collapse' : 'ui:tree.expand')}
          aria-expanded={item.expanded}
          onClick={() => toggle(idOf(item.row))}
        />
      ) : (
        <span className="size-6 flex-none" />
      )}
      {contentOf(column, item.row)}
    </span>
  );
  const tableColumns: readonly TableColumn<TreeRow<Row>>[] = columns.map((column, index) => ({
    key: column.key,
    label: column.label,
    sortable: column.sortable ?? false,
    ...(tree && index === 0 ? {} : { align: 'center' as const }),
    cell: (item) => (tree && index === 0 ? branch(item, column) : contentOf(column, item.row)),
  }));

  const show = (mode: DialogMode, row: Row | null, parent: Row | null = null) =>
    setOpen({ mode, row, parent });
  const actionsOf = ({ row }: TreeRow<Row>): readonly RowAction<TreeRow<Row>>[] => [
    ...(dialog && writes
      ? [{ id: 'edit', label: t('resource:action.update'), icon: Pencil, run: () => show('edit', row) }]
      : []),
    ...(dialog
      ? [{ id: 'view', label: t('resource:generic.view'), icon: Eye, run: () => show('view', row) }]
      : []),
    ...(dialog && writes && tree
      ? [
          {
            id: 'new-below',
            label: t('resource:generic.new_below'),
            icon: FolderPlus,
            run: () => show('new', null, row),
          },
        ]
      : []),
    ...(writes
      ? [
          {
            id: 'delete',
            label: t('resource:action.delete'),
            icon: Trash2,
            danger: true,
            run: () => void remove([row]),
          },
        ]
      : []),
  ];
  const confirm = async (values: FormValues) => {
    if (!open || !writes) return;
    if (open.row) await writes.update(open.row, values);
    else await writes.create(values, open.parent);
    await refetch();
  };

  const total = error ? 0 : (data?.total ?? 0);
  let placeholder: ReactNode;
  if (error) {
    placeholder = (
      <FailedState
        title={t('resource:failed', { noun: props.noun })}
        message={explain(error)}
        requestId={requestIdOf(error)}
        onRetry={reload}
      />
    );
  } else if (rows?.length === 0) {
    placeholder = <StateView drawing="empty" title={t('resource:generic.empty')} />;
  }
  return (
    <div className="pt-card flex min-h-0 flex-col overflow-hidden">
      {search.length > 0 && (
        <SearchForm
          key={JSON.stringify(state.search)}
          label={props.label}
          fields={search}
          value={state.search}
          onSearch={state.setSearch}
        />
      )}
      <div className="flex flex-wrap items-center gap-2 px-3 py-2">
        {dialog && writes && (
          <Button icon={Plus} onClick={() => show('new', null)}>
            {t('resource:generic.title.new', { noun: props.noun })}
          </Button>
        )}
        {writes && props.selectable && (
          <Button
            kind="danger"
            icon={Trash2}
            disabledReason={chosen.size === 0 ? t('resource:generic.none_chosen') : undefined}
            onClick={() =>
              void remove((rows ?? []).filter((item) => chosen.has(idOf(item.row))).map((item) => item.row))
            }
          >
            {t('resource:action.delete')}
          </Button>
        )}
        <span className="grow" />
        <IconButton icon={RefreshCw} label={t('resource:refresh')} onClick={reload} />
      </div>
      <Table
        label={props.label}
        columns={tableColumns}
        rows={rows}
        rowId={(item) => idOf(item.row)}
        rowName={(item) => rowName(item.row)}
        skeletonRows={state.size}
        busy={result.isFetching}
        order={state.order}
        onOrder={state.setOrder}
        selection={props.selectable ? { chosen, onChange: choose } : undefined}
        actions={dialog || writes ? actionsOf : undefined}
        placeholder={placeholder}
      />
      {paginated && (
        <Pager
          count={total}
          page={state.page}
          size={state.size}
          sizes={GENERIC_PAGE_SIZES}
          jumper
          of={props.label}
          onPage={state.setPage}
          onSize={state.setSize}
        />
      )}
      {open && dialog && (
        <Suspense>
          <RowDialog
            mode={open.mode}
            noun={props.noun}
            fields={dialog}
            values={open.row ? (open.row as FormValues) : undefined}
            onConfirm={confirm}
            onClose={() => setOpen(null)}
          />
        </Suspense>
      )}
    </div>
  );
}
