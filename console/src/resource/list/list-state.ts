import { useNavigate, useSearch } from '@tanstack/react-router';
import { useCallback, useMemo, useState } from 'react';
import { cleanQuery } from '#/lib/http/query-string';
import type { ListDefinition } from '../define';
import { rememberedPageSize, rememberPageSize } from '../table-config';

/** The state of a list that its address contains. */
export interface ListState {
  readonly page: number;
  readonly size: number;
  readonly order: string;
  /** Conditions by key, including `search`. */
  readonly filters: Readonly<Record<string, string>>;
}

export interface ListControls {
  readonly state: ListState;
  readonly setPage: (page: number) => void;
  readonly setSize: (size: number) => void;
  readonly setOrder: (order: string) => void;
  readonly setFilters: (filters: Readonly<Record<string, string>>) => void;
}

/** Query parameters that belong to the page around the list. */
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

/** The part of a list's definition on which its address depends. */
type ListPlace = Pick<ListDefinition<never>, 'order' | 'place'>;

function isForeign(key: string, place: readonly string[] = NOWHERE): boolean {
  return FOREIGN.has(key) || place.includes(key);
}

type Address = Readonly<Record<string, string>>;

function isSame(left: Address, right: Address): boolean {
  const keys = Object.keys(left);
  return keys.length === Object.keys(right).length && keys.every((key) => left[key] === right[key]);
}

/** Reads the state of a list from its address. */
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
        const remaining = dropFilters
          ? Object.fromEntries(Object.entries(old).filter(([key]) => isForeign(key, list.place)))
          : { ...old };
        return cleanQuery({ ...remaining, ...changes });
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
        // The conditions are the same: the page number stays; only a hand-written address is normalized.
        if (!isSame(source, cleanQuery(source))) change({});
      } else change({ ...wanted, page: undefined }, true);
    },
  };
}
