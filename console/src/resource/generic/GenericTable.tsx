import { Plus, RefreshCw, Trash2 } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useEffect, useMemo, useRef, useState } from 'react';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { cleanQuery, type QueryValues } from '#/lib/http/query-string';
import { type Translate, translate, useT } from '#/lib/i18n';
import { Button, IconButton } from '#/ui/button';
import { Pager } from '#/ui/pager';
import { FailedState, StateView } from '#/ui/states';
import { Table } from '#/ui/table';
import { toast } from '#/ui/toast';
import type { FormValues } from '../define';
import { textOf, valueOf } from '../format';
import { type GenericColumn, tableColumns } from './columns';
import { removeRows } from './remove-rows';
import { rowActions } from './row-actions';
import type { DialogField, DialogMode } from './RowDialog';
import type { RowPage, RowSource } from './row-source';
import type { RowWrites } from './row-writes';
import { type GenericSearchField, SearchForm } from './SearchForm';
import { type TreeKeys, type TreeRow, treeRows } from './tree-rows';
import { useRows } from './use-rows';
import { GENERIC_PAGE_SIZES, useTableState } from './use-table-state';

// Loaded on demand: most visits only read the table.
const RowDialog = lazy(async () => ({ default: (await import('./RowDialog')).RowDialog }));

export type { GenericColumn } from './columns';

export interface GenericTableProps<Row extends object> {
  readonly label: string;
  /** Name of a row, for titles and questions. */
  readonly noun: string;
  readonly source: RowSource<Row>;
  readonly columns: readonly GenericColumn<Row>[];
  readonly rowName: (row: Row) => string;
  readonly idKey?: string;
  /** Absent: rows are read only. */
  readonly writes?: RowWrites<Row>;
  /** Fields of the new, edit and view dialogs. */
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

/** Search, order and page of the table, and the rows of the current page. */
function useGenericRows<Row extends object>({
  source,
  search = [],
  searchInAddress = true,
  extraQuery,
  paginated = true,
}: GenericTableProps<Row>) {
  const state = useTableState(
    search.map((field) => field.key),
    searchInAddress,
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
  return { state, result };
}

/** Passes loaded pages and errors to the callbacks of the last render. */
function useEvents<Row extends object>(
  props: GenericTableProps<Row>,
  data: RowPage<Row> | undefined,
  error: unknown,
): void {
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
}

/** Rows in display order; undefined while the first page is loading, none after an error. */
function shownRows<Row extends object>({
  data,
  error,
  tree,
  expanded,
  idKey,
}: {
  readonly data: RowPage<Row> | undefined;
  readonly error: unknown;
  readonly tree: TreeKeys | undefined;
  readonly expanded: ReadonlySet<string>;
  readonly idKey: string;
}): readonly TreeRow<Row>[] | undefined {
  if (error) return [];
  if (!data) return undefined;
  if (tree) return treeRows(data.rows, expanded, { ...tree, idKey });
  return data.rows.map((row) => ({ row, depth: 0, isBranch: false, expanded: false }));
}

function toggled(ids: ReadonlySet<string>, id: string): ReadonlySet<string> {
  const next = new Set(ids);
  if (!next.delete(id)) next.add(id);
  return next;
}

/** Shown instead of rows after an error and for an empty table. */
function placeholderOf(
  noun: string,
  rows: readonly unknown[] | undefined,
  error: unknown,
  reload: () => void,
  t: Translate,
): ReactNode {
  if (error) {
    return (
      <FailedState
        title={t('resource:failed', { noun })}
        message={explain(error)}
        requestId={requestIdOf(error)}
        onRetry={reload}
      />
    );
  }
  return rows?.length === 0 ? <StateView drawing="empty" title={t('resource:generic.empty')} /> : undefined;
}

function Toolbar({
  noun,
  onCreate,
  onRemove,
  hasChosen,
  onReload,
}: {
  readonly noun: string;
  readonly onCreate: (() => void) | undefined;
  readonly onRemove: (() => void) | undefined;
  readonly hasChosen: boolean;
  readonly onReload: () => void;
}) {
  const t = useT();
  return (
    <div className="flex flex-wrap items-center gap-2 px-3 py-2">
      {onCreate && (
        <Button icon={Plus} onClick={onCreate}>
          {t('resource:generic.title.new', { noun })}
        </Button>
      )}
      {onRemove && (
        <Button
          kind="danger"
          icon={Trash2}
          disabledReason={hasChosen ? undefined : t('resource:generic.none_chosen')}
          onClick={onRemove}
        >
          {t('resource:action.delete')}
        </Button>
      )}
      <span className="grow" />
      <IconButton icon={RefreshCw} label={t('resource:refresh')} onClick={onReload} />
    </div>
  );
}

/** Saves the value of one cell; shows and rethrows a failure. */
async function editCell<Row extends object>(
  { writes, onCellChange, onError }: GenericTableProps<Row>,
  row: Row,
  key: string,
  value: unknown,
): Promise<void> {
  onCellChange?.(row, key, value);
  try {
    await writes?.update(row, { [key]: value });
  } catch (failure) {
    onError?.(failure);
    toast({ tone: 'error', text: translate('resource:form.update_failed', { reason: explain(failure) }) });
    throw failure;
  }
}

/** The dialog new, edit or view, which writes the row and reloads the table. */
function OpenRowDialog<Row extends object>({
  open,
  noun,
  fields,
  writes,
  onSaved,
  onClose,
}: {
  readonly open: OpenDialog<Row>;
  readonly noun: string;
  readonly fields: readonly DialogField[];
  readonly writes: RowWrites<Row> | undefined;
  readonly onSaved: () => Promise<unknown>;
  readonly onClose: () => void;
}) {
  const confirm = async (values: FormValues) => {
    if (!writes) return;
    if (open.row) await writes.update(open.row, values);
    else await writes.create(values, open.parent);
    await onSaved();
  };
  return (
    <Suspense>
      <RowDialog
        mode={open.mode}
        noun={noun}
        fields={fields}
        values={open.row ? (open.row as FormValues) : undefined}
        onConfirm={confirm}
        onClose={onClose}
      />
    </Suspense>
  );
}

function TablePager({
  state,
  total,
  label,
}: {
  readonly state: ReturnType<typeof useTableState>;
  readonly total: number;
  readonly label: string;
}) {
  return (
    <Pager
      count={total}
      page={state.page}
      size={state.size}
      sizes={GENERIC_PAGE_SIZES}
      jumper
      of={label}
      onPage={state.setPage}
      onSize={state.setSize}
    />
  );
}

/** A table over any endpoint, whatever its dialect: search, order, pages or a tree, dialogs, editable cells. */
export function GenericTable<Row extends object>(props: GenericTableProps<Row>) {
  const { rowName, writes, dialog, tree, search = [], paginated = true } = props;
  const idKey = props.idKey ?? 'id';
  const t = useT();
  const { state, result } = useGenericRows(props);
  const { data, error, refetch } = result;
  const [expanded, setExpanded] = useState<ReadonlySet<string>>(new Set());
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [open, setOpen] = useState<OpenDialog<Row> | null>(null);
  useEvents(props, data, error);

  const idOf = (row: Row): string => textOf(valueOf(row, idKey));
  const reload = () => void refetch();
  const choose = (ids: ReadonlySet<string>) => {
    setChosen(ids);
    props.onChoose?.(ids);
  };
  const rows = useMemo(
    () => shownRows({ data, error, tree, expanded, idKey }),
    [data, error, tree, expanded, idKey],
  );

  const remove = async (targets: readonly Row[]) => {
    if (!writes) return;
    if (!(await removeRows(targets.map(rowName), () => writes.remove(targets.map(idOf))))) return;
    const gone = new Set(targets.map(idOf));
    choose(new Set([...chosen].filter((id) => !gone.has(id))));
    reload();
  };
  const removeChosen = () =>
    void remove((rows ?? []).filter((item) => chosen.has(idOf(item.row))).map((item) => item.row));

  const columns = tableColumns({
    columns: props.columns,
    isTree: tree !== undefined,
    nameOf: rowName,
    onEdit: (row, key, value) => editCell(props, row, key, value),
    onToggle: (row) => setExpanded(toggled(expanded, idOf(row))),
    reload,
  });

  const show = (mode: DialogMode, row: Row | null, parent: Row | null = null) =>
    setOpen({ mode, row, parent });
  const actionsOf = ({ row }: TreeRow<Row>) =>
    rowActions<Row>({
      t,
      onShow: dialog && ((mode) => show(mode, row)),
      onAddBelow: dialog && writes && tree ? () => show('new', null, row) : undefined,
      onRemove: writes && (() => void remove([row])),
    });

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
      <Toolbar
        noun={props.noun}
        onCreate={dialog && writes ? () => show('new', null) : undefined}
        onRemove={writes && props.selectable ? removeChosen : undefined}
        hasChosen={chosen.size > 0}
        onReload={reload}
      />
      <Table
        label={props.label}
        columns={columns}
        rows={rows}
        rowId={(item) => idOf(item.row)}
        rowName={(item) => rowName(item.row)}
        skeletonRows={state.size}
        busy={result.isFetching}
        order={state.order}
        onOrder={state.setOrder}
        selection={props.selectable ? { chosen, onChange: choose } : undefined}
        actions={dialog || writes ? actionsOf : undefined}
        placeholder={placeholderOf(props.noun, rows, error, reload, t)}
      />
      {paginated && <TablePager state={state} total={error ? 0 : (data?.total ?? 0)} label={props.label} />}
      {open && dialog && (
        <OpenRowDialog
          open={open}
          noun={props.noun}
          fields={dialog}
          writes={writes}
          onSaved={refetch}
          onClose={() => setOpen(null)}
        />
      )}
    </div>
  );
}
