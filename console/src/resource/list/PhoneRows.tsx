import { EllipsisVertical } from 'lucide-react';
import { useT } from '#/lib/i18n';
import { AppLink } from '#/ui/link';
import { MenuButton } from '#/ui/menu';
import { Skeleton } from '#/ui/skeleton';
import type { RowAction, TableColumn } from '#/ui/table';
import { visible } from '#/ui/visible-text';
import type { Resource, ResourceDefinition } from '../define';
import { objectPath } from '../routes';

/** Below 640 px a row is a card: name, one line, state, menu. */
export function PhoneRows<Row extends Resource>({
  resource,
  columns,
  rows,
  actions,
}: {
  readonly resource: ResourceDefinition<Row>;
  readonly columns: readonly TableColumn<Row>[];
  readonly rows: readonly Row[] | undefined;
  readonly actions: ((row: Row) => readonly RowAction<Row>[]) | undefined;
}) {
  const t = useT();
  const IconOf = resource.icon;
  const { phone } = resource.list;
  if (!rows) {
    return (
      <div aria-busy="true">
        {[0, 1, 2, 3, 4].map((line) => (
          <div key={line} className="flex min-h-16 items-center gap-3 border-b border-line px-3">
            <Skeleton className="size-[30px]! rounded-(--r-gate)!" />
            <div className="grid grow gap-3">
              <Skeleton className="w-2/5" />
              <Skeleton className="w-1/4" />
            </div>
          </div>
        ))}
      </div>
    );
  }
  return (
    <ul>
      {rows.map((row) => {
        const name = visible(resource.nameOf(row));
        const offered = actions?.(row) ?? [];
        return (
          <li key={row.id} className="border-b border-line px-3 py-2">
            <div className="flex min-h-12 items-center gap-3">
              <span className="grid size-[30px] flex-none place-items-center rounded-(--r-gate) bg-surface-3 text-ink-2">
                <IconOf className="size-[15px]!" aria-hidden />
              </span>
              {/* The state goes below a long name instead of squeezing it. */}
              <div className="flex min-w-0 flex-1 flex-wrap items-center justify-between gap-x-3">
                <div className="min-w-0">
                  {resource.routes.paths.detail === undefined ? (
                    <span className="text-lead font-medium [overflow-wrap:anywhere]">{name}</span>
                  ) : (
                    <AppLink
                      to={objectPath(resource.routes.paths.detail, row.id)}
                      className="block text-lead font-medium [overflow-wrap:anywhere] text-ink-1"
                    >
                      {name}
                    </AppLink>
                  )}
                  <div className="flex min-w-0 flex-wrap items-center gap-x-2 text-meta [overflow-wrap:anywhere] text-ink-3">
                    {phone
                      ? phone.meta(row)
                      : columns.slice(1, 3).map((column) => <span key={column.key}>{column.cell(row)}</span>)}
                  </div>
                  {phone?.note && (
                    <div className="text-meta text-ink-2 [overflow-wrap:anywhere]">{phone.note(row)}</div>
                  )}
                </div>
                {phone?.status?.(row)}
              </div>
              {offered.length > 0 && (
                <MenuButton
                  label={t('ui:table.row_actions', { name })}
                  kind="text"
                  size="lg"
                  iconOnly
                  className="flex-none"
                  entries={offered.map(({ run, ...entry }) => ({ ...entry, run: () => run?.(row) }))}
                >
                  <EllipsisVertical aria-hidden />
                </MenuButton>
              )}
            </div>
            {resource.list.details && (
              <details className="pb-1">
                <summary
                  className="min-h-6 py-1 text-meta text-ink-2"
                  aria-label={t('ui:table.details', { name })}
                >
                  {t('resource:details')}
                </summary>
                {resource.list.details(row)}
              </details>
            )}
          </li>
        );
      })}
    </ul>
  );
}
