import { type ReactNode, useMemo, useRef } from 'react';
import { useKeptFocus } from '#/ui/kept-focus';
import { Pager } from '#/ui/pager';
import { type Density, type RowAction, Table, type TableColumn } from '#/ui/table';
import type { Resource, ResourceDefinition } from '../define';
import type { RowPage } from '../generic/row-source';
import type { ListControls } from './list-state';
import { PhoneRows } from './PhoneRows';

type Names = ReadonlyMap<string, string>;

/** The rows as a table (on a phone as cards) or their placeholder, with the pager below. */
export function ListRows<Row extends Resource>({
  resource,
  title,
  columns,
  density,
  rows,
  rowTotal,
  busy,
  controls,
  chosen,
  onChosen,
  actions,
  placeholder,
  isPhone,
  embedded,
  current,
}: {
  readonly resource: ResourceDefinition<Row>;
  readonly title: string;
  readonly columns: readonly TableColumn<Row>[];
  readonly density: Density;
  /** Absent while the rows are loading. */
  readonly rows: readonly Row[] | undefined;
  /** Absent while the number is being counted. */
  readonly rowTotal: Omit<RowPage<unknown>, 'rows'> | undefined;
  readonly busy: boolean;
  readonly controls: ListControls;
  /** Selected rows, name by id; absent where nothing can be selected. */
  readonly chosen: Names | undefined;
  readonly onChosen: (change: (old: Names) => Names) => void;
  readonly actions: ((row: Row) => readonly RowAction<Row>[]) | undefined;
  readonly placeholder: ReactNode;
  readonly isPhone: boolean;
  readonly embedded: boolean;
  readonly current: string | undefined;
}) {
  const card = useRef<HTMLDivElement>(null);
  useKeptFocus(card);
  const chosenIds = useMemo(() => new Set(chosen?.keys()), [chosen]);
  const { state, setOrder, setPage, setSize } = controls;
  const choose = (ids: ReadonlySet<string>) =>
    onChosen((old) => {
      const names = new Map(rows?.map((row) => [String(row.id), resource.nameOf(row)]));
      return new Map([...ids].map((id) => [id, names.get(id) ?? old.get(id) ?? id]));
    });
  return (
    <div ref={card} className={`pt-card flex min-h-0 flex-col overflow-hidden ${embedded ? '' : 'grow'}`}>
      {isPhone ? (
        (placeholder ?? <PhoneRows resource={resource} columns={columns} rows={rows} actions={actions} />)
      ) : (
        <Table
          label={title}
          columns={columns}
          rows={placeholder === undefined ? rows : []}
          rowId={(row) => String(row.id)}
          rowName={resource.nameOf}
          skeletonRows={Math.min(state.size, 15)}
          busy={busy}
          density={density}
          order={state.order}
          onOrder={setOrder}
          selection={chosen && { chosen: chosenIds, onChange: choose }}
          actions={actions}
          details={resource.list.details}
          isInactive={resource.list.isInactive}
          placeholder={placeholder}
          current={current}
        />
      )}
      {rowTotal && rowTotal.total > 0 && (
        <Pager
          count={rowTotal.total}
          isMinimum={rowTotal.isMinimum}
          hasNext={rowTotal.hasNext}
          page={state.page}
          size={state.size}
          onPage={setPage}
          onSize={setSize}
        />
      )}
    </div>
  );
}
