import { ChevronDown, ChevronRight } from 'lucide-react';
import type { ReactNode } from 'react';
import { useT } from '#/lib/i18n';
import { IconButton } from '#/ui/button';
import type { TableColumn } from '#/ui/table';
import { AutoCell, textOf, valueOf } from '../format';
import { EditableCell } from './EditableCell';
import type { TreeRow } from './tree-rows';

const INDENT_PX = 16;

export interface GenericColumn<Row> {
  readonly key: string;
  readonly label: string;
  /** Default: the `_display` field of the column, else the raw value. */
  readonly cell?: (row: Row, reload: () => void) => ReactNode;
  readonly sortable?: boolean;
  /** The cell is edited in place; the change is passed to `writes.update` and `onCellChange`. */
  readonly editable?: boolean;
}

function CellContent<Row extends object>({
  column,
  row,
  name,
  onEdit,
  reload,
}: {
  readonly column: GenericColumn<Row>;
  readonly row: Row;
  readonly name: string;
  readonly onEdit: (row: Row, key: string, value: unknown) => Promise<void>;
  readonly reload: () => void;
}) {
  if (column.editable) {
    return (
      <EditableCell
        value={valueOf(row, column.key)}
        label={`${name} ${column.label}`}
        key={textOf(valueOf(row, column.key))}
        onChange={(value) => onEdit(row, column.key, value)}
      />
    );
  }
  return column.cell?.(row, reload) ?? <AutoCell row={row} name={column.key} meta={undefined} />;
}

/** First cell of a tree: indented by depth, with a button that expands or collapses the row. */
function Branch<Row>({
  item,
  onToggle,
  children,
}: {
  readonly item: TreeRow<Row>;
  readonly onToggle: () => void;
  readonly children: ReactNode;
}) {
  const t = useT();
  return (
    // Depth is data, so it cannot be a CSS class.
    <span className="flex items-center gap-1" style={{ paddingLeft: item.depth * INDENT_PX }}>
      {item.isBranch ? (
        <IconButton
          kind="text"
          size="sm"
          icon={item.expanded ? ChevronDown : ChevronRight}
          label={t(item.expanded ? 'ui:tree.collapse' : 'ui:tree.expand')}
          aria-expanded={item.expanded}
          onClick={onToggle}
        />
      ) : (
        <span className="size-6 flex-none" />
      )}
      {children}
    </span>
  );
}

/** Columns of the table. In a tree the first column shows the depth and the button of a branch. */
export function tableColumns<Row extends object>({
  columns,
  isTree,
  nameOf,
  onEdit,
  onToggle,
  reload,
}: {
  readonly columns: readonly GenericColumn<Row>[];
  readonly isTree: boolean;
  readonly nameOf: (row: Row) => string;
  readonly onEdit: (row: Row, key: string, value: unknown) => Promise<void>;
  readonly onToggle: (row: Row) => void;
  readonly reload: () => void;
}): readonly TableColumn<TreeRow<Row>>[] {
  return columns.map((column, index) => {
    const contentOf = (row: Row): ReactNode => (
      <CellContent column={column} row={row} name={nameOf(row)} onEdit={onEdit} reload={reload} />
    );
    const isFirst = isTree && index === 0;
    return {
      key: column.key,
      label: column.label,
      sortable: column.sortable ?? false,
      ...(isFirst ? {} : { align: 'center' as const }),
      cell: (item) =>
        isFirst ? (
          <Branch item={item} onToggle={() => onToggle(item.row)}>
            {contentOf(item.row)}
          </Branch>
        ) : (
          contentOf(item.row)
        ),
    };
  });
}
