import { useT } from '#/lib/i18n';
import type { RowPage } from '../generic/row-source';

/** How many rows a list has, beside its title. */
export function RowCount({ found }: { readonly found: Omit<RowPage<unknown>, 'rows'> }) {
  const t = useT();
  return (
    <span className="text-ink-3 tabular-nums">
      {t(found.isMinimum ? 'resource:count_minimum' : 'resource:count', { count: found.total })}
    </span>
  );
}
