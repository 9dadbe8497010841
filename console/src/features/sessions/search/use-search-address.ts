import { useNavigate, useSearch } from '@tanstack/react-router';
import type { HitConditions } from '#/domain/recording-hits/hits';
import { cleanQuery } from '#/lib/http/query-string';
import { type DateRangeState, useDateRange } from '#/resource/list/DateRange';

type Address = Readonly<Record<string, string>>;

/** Default length of the date range, in days. */
const DAYS = 90;

/** Conditions besides the text and the dates. */
export type Filter = 'kind' | 'user_id' | 'asset_id';

export interface SearchAddress {
  readonly conditions: HitConditions;
  readonly dates: DateRangeState;
  /** Searches the text; the present search stays behind the back button. */
  readonly search: (text: string) => void;
  readonly setFilter: (filter: Filter, value: string) => void;
}

/** The search that the address contains, so that it can be linked. */
export function useSearchAddress(): SearchAddress {
  const address: Address = useSearch({ strict: false });
  const navigate = useNavigate();
  const dates = useDateRange(DAYS);
  const change = (changes: Address): void =>
    void navigate({
      to: '.',
      search: (old: Address) => cleanQuery({ ...old, ...changes }),
      resetScroll: false,
    });
  return {
    conditions: {
      text: (address['text'] ?? '').trim(),
      ...cleanQuery({
        kind: address['kind'],
        user_id: address['user_id'],
        asset_id: address['asset_id'],
      }),
      ...dates.query,
    },
    dates,
    search: (text) => change({ text }),
    setFilter: (filter, value) => change({ [filter]: value }),
  };
}
