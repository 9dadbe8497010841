import { useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { cleanQuery } from '#/lib/http/query-string';

/** Pages of the generic table (specification, section 9). */
export const GENERIC_PAGE_SIZES = [10, 20, 30, 40, 50] as const;
export const FIRST_PAGE = 1;

type Address = Readonly<Record<string, string>>;

export interface TableState {
  readonly page: number;
  readonly size: number;
  /** `name` or `-name`; empty: none. */
  readonly order: string;
  readonly search: Readonly<Record<string, string>>;
}

export interface TableControls extends TableState {
  readonly setPage: (page: number) => void;
  readonly setSize: (size: number) => void;
  readonly setOrder: (order: string) => void;
  readonly setSearch: (search: Readonly<Record<string, string>>) => void;
}

function whole(text: string | undefined): number {
  const number = Number(text);
  return Number.isInteger(number) && number > 0 ? number : 0;
}

/**
 * State of a generic table: in the address by default, otherwise in memory. Only keys of its own search fields are
 * read.
 */
export function useTableState(searchKeys: readonly string[], inAddress: boolean): TableControls {
  const address: Address = useSearch({ strict: false });
  const navigate = useNavigate();
  const [memory, setMemory] = useState<Address>({});
  const source = inAddress ? address : memory;
  const change = (changes: Record<string, string | undefined>) => {
    const next = (old: Address) => cleanQuery({ ...old, ...changes });
    if (inAddress) void navigate({ to: '.', search: next, replace: true, resetScroll: false });
    else setMemory(next);
  };
  const size = whole(source['size']);
  return {
    page: whole(source['page']) || FIRST_PAGE,
    size: GENERIC_PAGE_SIZES.find((allowed) => allowed === size) ?? GENERIC_PAGE_SIZES[0],
    order: source['order'] ?? '',
    search: cleanQuery(Object.fromEntries(searchKeys.map((key) => [key, source[key]]))),
    setPage: (page) => change({ page: page > FIRST_PAGE ? String(page) : undefined }),
    setSize: (next) => change({ size: String(next), page: undefined }),
    setOrder: (order) => change({ order: order || undefined, page: undefined }),
    setSearch: (search) =>
      change({
        ...Object.fromEntries(searchKeys.map((key) => [key, undefined])),
        ...search,
        page: undefined,
      }),
  };
}
