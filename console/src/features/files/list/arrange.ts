import type { Entry } from '../contract';
import { isFolder } from '../file-paths';

export type SortKey = 'name' | 'size' | 'modified' | 'mode' | 'owner';

export interface Order {
  readonly key: SortKey;
  readonly descending: boolean;
}

export interface Arrangement {
  readonly order: Order;
  readonly filter: string;
  readonly hidden: boolean;
}

type Compare = (one: Entry, other: Entry) => number;

const collator = new Intl.Collator(undefined, { numeric: true, sensitivity: 'base' });
/** More names than this are ordered by their characters: the order of the language takes seconds then. */
const MANY = 20_000;
const DIGITS = 12;

const byLanguage: Compare = (one, other) => collator.compare(one.name.text, other.name.text);

/** Compares names by their characters, without case, numbers as numbers. */
function byCharacters(entries: readonly Entry[]): Compare {
  const keys = new Map(
    entries.map((entry) => [
      entry,
      entry.name.text.toLowerCase().replaceAll(/\d+/g, (digits) => digits.padStart(DIGITS, '0')),
    ]),
  );
  return (one, other) => {
    const [first, second] = [keys.get(one) ?? '', keys.get(other) ?? ''];
    if (first === second) return 0;
    return first < second ? -1 : 1;
  };
}

const byNumber =
  (value: (entry: Entry) => number | null | undefined): Compare =>
  (one, other) =>
    (value(one) ?? -1) - (value(other) ?? -1);

const COMPARE: Record<Exclude<SortKey, 'name'>, Compare> = {
  size: byNumber((entry) => entry.size),
  modified: byNumber((entry) => entry.modified),
  mode: byNumber((entry) => entry.mode),
  owner: (one, other) => collator.compare(one.owner ?? '', other.owner ?? ''),
};

/** The entries to show: folders first, then by the order, then by name. */
export function arrange(entries: readonly Entry[], { order, filter, hidden }: Arrangement): readonly Entry[] {
  const wanted = filter.trim().toLocaleLowerCase();
  const shown = entries.filter(
    ({ name: { text } }) =>
      (hidden || !text.startsWith('.')) && (wanted === '' || text.toLocaleLowerCase().includes(wanted)),
  );
  const byName = shown.length > MANY ? byCharacters(shown) : byLanguage;
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
