import type { Entry } from '../contract';
import { isFolder } from '../file-paths';

export type SortKey = 'name' | 'size' | 'modified' | 'mode' | 'owner';

export interface Order {
  readonly key: SortKey;
  readonly descending: boolean;
}

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });

const COMPARE: Record<Exclude<SortKey, 'name'>, (one: Entry, other: Entry) => number> = {
  size: (one, other) => (one.size ?? -1) - (other.size ?? -1),
  modified: (one, other) => (one.modified ?? -1) - (other.modified ?? -1),
  mode: (one, other) => (one.mode ?? -1) - (other.mode ?? -1),
  owner: (one, other) => collator.compare(one.owner ?? '', other.owner ?? ''),
};

/** The entries to show: folders first, then by the order, then by name. */
export function arrange(
  entries: readonly Entry[],
  { order, filter, hidden }: { readonly order: Order; readonly filter: string; readonly hidden: boolean },
): readonly Entry[] {
  const wanted = filter.trim().toLocaleLowerCase();
  const shown = entries.filter(
    ({ name: { text } }) =>
      (hidden || !text.startsWith('.')) && (wanted === '' || text.toLocaleLowerCase().includes(wanted)),
  );
  const byName = (one: Entry, other: Entry): number => collator.compare(one.name.text, other.name.text);
  const byKey = order.key === 'name' ? byName : COMPARE[order.key];
  const sign = order.descending ? -1 : 1;
  return shown.sort(
    (one, other) =>
      Number(isFolder(other)) - Number(isFolder(one)) || sign * byKey(one, other) || byName(one, other),
  );
}

/** A second press turns the order over. */
export function nextOrder(order: Order, key: SortKey): Order {
  return { key, descending: order.key === key ? !order.descending : key === 'modified' || key === 'size' };
}
