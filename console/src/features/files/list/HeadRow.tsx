import { ArrowDown, ArrowUp } from 'lucide-react';
import { useT } from '#/lib/i18n';
import { nextOrder, type Order, type SortKey } from './arrange';
import type { FileColumn } from './columns';

function HeadCell({
  sortKey,
  label,
  isNumber = false,
  order,
  onOrder,
}: {
  readonly sortKey: SortKey;
  readonly label: string;
  readonly isNumber?: boolean;
  readonly order: Order;
  readonly onOrder: (order: Order) => void;
}) {
  const t = useT();
  const isSorted = order.key === sortKey;
  const Arrow = order.descending ? ArrowDown : ArrowUp;
  return (
    <span
      role="columnheader"
      aria-sort={isSorted ? (order.descending ? 'descending' : 'ascending') : undefined}
      className={`min-w-0 ${isNumber ? 'text-right' : ''}`}
      // Above the names: beside the boxes and icons.
      style={sortKey === 'name' ? { paddingLeft: 56 } : undefined}
    >
      <button
        type="button"
        className={`inline-flex min-h-6 items-center gap-1 rounded-1 font-medium hover:text-ink-1 ${isSorted ? 'text-ink-1' : ''}`}
        title={t('ui:table.sort', { label })}
        onClick={() => onOrder(nextOrder(order, sortKey))}
      >
        {label}
        {isSorted && <Arrow className="size-[14px]!" aria-hidden />}
      </button>
    </span>
  );
}

/** The names of the columns, which order the list. They stay in view. */
export function HeadRow({
  columns,
  template,
  order,
  onOrder,
}: {
  readonly columns: readonly FileColumn[];
  readonly template: string;
  readonly order: Order;
  readonly onOrder: (order: Order) => void;
}) {
  const t = useT();
  return (
    <div
      role="row"
      aria-rowindex={1}
      className="sticky top-0 z-(--z-sticky) grid h-8 items-center gap-4 border-b border-line bg-surface-2 px-2 text-meta text-ink-2"
      style={{ gridTemplateColumns: template }}
    >
      <HeadCell sortKey="name" label={t('files:column.name')} order={order} onOrder={onOrder} />
      {columns.map(({ key, label, isNumber }) => (
        <HeadCell
          key={key}
          sortKey={key}
          label={t(label)}
          isNumber={isNumber}
          order={order}
          onOrder={onOrder}
        />
      ))}
    </div>
  );
}
