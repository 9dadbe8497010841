import { type Translate, useT } from '#/lib/i18n';
import type { RowPage } from '../generic/row-source';

type RowTotal = Omit<RowPage<unknown>, 'rows'>;

export function countText(t: Translate, { total, isMinimum }: RowTotal): string {
  return t(isMinimum ? 'resource:count_minimum' : 'resource:count', { count: total });
}

/** Number of rows of a list, beside its title. */
export function RowCount({ rowTotal }: { readonly rowTotal: RowTotal }) {
  const t = useT();
  return <span className="text-ink-3 tabular-nums">{countText(t, rowTotal)}</span>;
}
