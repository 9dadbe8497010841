import { http } from '#/lib/http/client';

/** The object whose past access is shown. */
export type HistoryPlace = 'asset' | 'application' | 'user';

interface Named {
  readonly id: string;
  readonly name: string;
}

/** A permission that gave access, and how it named both sides. */
export interface Way {
  readonly permission: Named;
  readonly actions: readonly string[];
  readonly system_users: readonly (Named & { readonly protocol: string })[];
  readonly names_user: boolean;
  readonly user_groups: readonly Named[];
  readonly names_target: boolean;
  readonly nodes: readonly Named[];
}

/** A person, asset or application. `change` is empty unless two instants are compared. */
export interface PastRow extends Named {
  /** Username, or address of an asset. */
  readonly detail: string;
  readonly change: '' | 'gained' | 'lost' | 'changed';
  readonly ways: readonly Way[];
  readonly ways_before: readonly Way[];
}

export interface PastAnswer {
  readonly at: string;
  readonly known_since: string | null;
  /** False: the question is about an instant before the history begins. */
  readonly is_known: boolean;
  /** Null: the object did not exist then. */
  readonly object: (Named & { readonly is_active: boolean }) | null;
  readonly count: number;
  readonly results: readonly PastRow[];
}

export interface PastQuestion {
  readonly at: Date;
  readonly comparedWith: Date | null;
  readonly search: string;
  readonly page: number;
  readonly size: number;
}

export function askPast(path: string, question: PastQuestion, signal: AbortSignal): Promise<PastAnswer> {
  const { at, comparedWith, search, page, size } = question;
  return http.get<PastAnswer>(`perms/history/${path}/`, {
    query: {
      at: at.toISOString(),
      ...(comparedWith && { compared_with: comparedWith.toISOString() }),
      ...(search !== '' && { search }),
      limit: size,
      offset: (page - 1) * size,
    },
    quiet: true,
    signal,
  });
}
