import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { cleanQuery } from '#/lib/http/query-string';
import type { ListDefinition } from '../define';
import { rememberedPageSize, rememberPageSize } from '../table-config';

/** Everything about a list that can be shared as an address. */
export interface ListState {
  readonly page: number;
  readonly size: number;
  readonly order: string;
  /** Conditions by key, `search` among them. */
  readonly filters: Readonly<Record<string, string>>;
}

export interface ListControls {
  readonly state: ListState;
  readonly setPage: (page: number) => void;
  readonly setSize: (size: number) => void;
  readonly setOrder: (order: string) => void;
  readonly setFilters: (filters: Readonly<Record<string, string>>) => void;
}

/** Keys of the address that belong to the page around the list. */
const FOREIGN = new Set([
  'page',
  'limit',
  'order',
  'activeTab',
  'screen',
  'why',
  'next',
  'oid',
  'date_start',
  'date_end',
]);

const NOWHERE: readonly string[] = [];
const ANYWHERE: ListPlace = {};

/** What of a list's definition its address depends on. */
type ListPlace = Pick<ListDefinition<never>, 'order' | 'place'>;

function isForeign(key: string, place: readonly string[] = NOWHERE): boolean {
  return FOREIGN.has(key) || place.includes(key);
}

type Address = Readonly<Record<string, string>>;

function isSame(one: Address, other: Address): boolean {
  const keys = Object.keys(one);
  return keys.length === Object.keys(other).length && keys.every((key) => one[key] === other[key]);
}

/** State of a list as its address says. */
export function stateOf(address: Address, { order = '', place = NOWHERE }: ListPlace = {}): ListState {
  const page = Number(address['page'] ?? 1);
  const filters = Object.fromEntries(Object.entries(address).filter(([key]) => !isForeign(key, place)));
  return {
    page: Number.isInteger(page) && page > 0 ? page : 1,
    size: rememberedPageSize(),
    order: address['order'] ?? order,
    filters: cleanQuery(filters),
  };
}

/** State in the address, or (inside tabs of a detail page) in memory. */
export function useListState(inAddress: boolean, list: ListPlace = ANYWHERE): ListControls {
  const address: Address = useSearch({ strict: false });
  const navigate = useNavigate();
  const [memory, setMemory] = useState<Address>({});
  const source = inAddress ? address : memory;
  const [size, setSizeState] = useState(rememberedPageSize);
  const state = useMemo(() => ({ ...stateOf(source, list), size }), [source, list, size]);
  const change = useCallback(
    (changes: Record<string, string | undefined>, dropFilters = false) => {
      const next = (old: Address): Record<string, string> => {
        const kept = dropFilters
          ? Object.fromEntries(Object.entries(old).filter(([key]) => isForeign(key, list.place)))
          : { ...old };
        return cleanQuery({ ...kept, ...changes });
      };
      if (inAddress) {
        void navigate({ to: '.', search: (old: Address) => next(old), replace: true, resetScroll: false });
      } else setMemory(next);
    },
    [inAddress, list, navigate],
  );
  return {
    state,
    setPage: (page) => change({ page: page > 1 ? String(page) : undefined }),
    setSize: (next) => {
      rememberPageSize(next);
      setSizeState(next);
      change({ page: undefined });
    },
    setOrder: (order) => change({ order: order || undefined, page: undefined }),
    setFilters: (filters) => {
      const wanted = cleanQuery(filters);
      if (isSame(wanted, state.filters)) {
        // The same conditions: the page stays, only an address written by hand gets its clean form.
        if (!isSame(source, cleanQuery(source))) change({});
      } else change({ ...wanted, page: undefined }, true);
    },
  };
}
