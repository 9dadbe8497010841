import { infiniteQueryOptions } from '@tanstack/react-query';
import { http } from '#/lib/http/client';
import { HttpError } from '#/lib/http/errors';
import { paths } from '#/lib/paths';

export type HitKind = 'screen' | 'command' | 'file';

export interface HitSession {
  readonly id: string;
  readonly user: string;
  readonly user_id: string;
  readonly asset: string;
  readonly asset_id: string;
  readonly system_user: string;
  readonly protocol: string;
  readonly date_start: string;
  readonly org_id: string;
  readonly org_name: string;
  /** Whether everything in the recording is in the index. */
  readonly is_whole: boolean;
}

/** A row of `terminal/recording-hits/`: one line, at the moment at which it appeared. */
export interface Hit {
  readonly id: string;
  readonly kind: HitKind;
  readonly session: HitSession;
  readonly offset_ms: number;
  readonly datetime: string;
  readonly line: string;
  /** Positions in `line`, in code points, half open. */
  readonly matches: readonly (readonly [from: number, to: number])[];
  readonly before: readonly string[];
  readonly after: readonly string[];
}

/** Recordings that a search could not look into. `MOST_COUNTED` stands for so many or more. */
export interface IndexCounts {
  /** Not indexed yet. */
  readonly waiting: number;
  /** Could not be indexed. */
  readonly failed: number;
  /** Indexed in part. */
  readonly incomplete: number;
}

/** In a search of one session the counts are of this session only. */
interface HitPage extends IndexCounts {
  readonly results: readonly Hit[];
  readonly next: string | null;
}

export const NOTHING_MISSING: IndexCounts = { waiting: 0, failed: 0, incomplete: 0 };
export const MOST_COUNTED = 1000;

/** Conditions of a search; empty values count as absent. */
export interface HitConditions {
  readonly text: string;
  readonly kind?: string;
  readonly user_id?: string;
  readonly asset_id?: string;
  readonly session_id?: string;
  readonly date_from?: string;
  readonly date_to?: string;
}

const API = 'terminal/recording-hits/';
const HITS_PER_PAGE = 25;
/** Lengths of a search text in characters (code points). */
const SHORTEST = 2;
const LONGEST = 200;
/** For the field, which counts an emoji as two: it stops a pasted file, and `textProblem` explains the rest. */
export const MOST_TYPED = 2 * LONGEST;
/** Requests for one page, as long as they find nothing: each looks at a bounded part of the recordings. */
const MOST_REQUESTS = 10;
/** Each search is audited, so coming back to its hits does not repeat it. */
const FRESH_MS = 300_000;

/** Why a text cannot be searched; null if it can. */
export function textProblem(text: string): 'short' | 'long' | null {
  const length = Array.from(text.trim()).length;
  if (length < SHORTEST) return 'short';
  return length > LONGEST ? 'long' : null;
}

/** The next page with hits; an empty one where the search ends, or has to be continued. */
async function fetchHits(conditions: HitConditions, cursor: string, signal: AbortSignal): Promise<HitPage> {
  let from = cursor;
  for (let request = 1; ; request += 1) {
    const query = { ...conditions, limit: HITS_PER_PAGE, cursor: from };
    const page = await http.get<HitPage>(API, { query, signal, quiet: true });
    if (page.results.length > 0 || page.next === null || request === MOST_REQUESTS) return page;
    from = page.next;
  }
}

/** The hits page by page. `organizationId`: the same search has other hits in another organization. */
export const hitsQuery = (conditions: HitConditions, organizationId: string, isOn: boolean) =>
  infiniteQueryOptions({
    queryKey: ['terminal/recording-hits', organizationId, conditions],
    enabled: isOn && textProblem(conditions.text) === null,
    staleTime: FRESH_MS,
    initialPageParam: '',
    queryFn: ({ pageParam, signal }) => fetchHits(conditions, pageParam, signal),
    getNextPageParam: (last) => last.next ?? undefined,
  });

/** Whether the search was refused because searching inside recordings is switched off. */
export function isSearchOff(error: unknown): boolean {
  return error instanceof HttpError && error.code === 'search_off';
}

/** Address of the moment in the player. A session of files opens with them otherwise. */
export function momentOf(hit: Hit): string {
  return `${paths.session(hit.session.id, hit.offset_ms)}&activeTab=replay`;
}
