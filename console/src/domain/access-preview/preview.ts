import type { ApplicationCategory } from '#/domain/application-kinds/kinds';
import { http } from '#/lib/http/client';

/** A change as `POST perms/preview/` takes it: the object, what happens to it, and the values of its real write. */
export interface AccessChange {
  readonly object: 'asset_permission' | 'application_permission' | 'user_group' | 'user' | 'node' | 'asset';
  readonly action: 'create' | 'update' | 'delete';
  readonly id?: string;
  readonly values?: Readonly<Record<string, unknown>>;
}

/** Distinct people and targets (assets or applications), and the pairs of them. */
export interface Figures {
  readonly people: number;
  readonly targets: number;
  readonly pairs: number;
}

export interface AccountFigures {
  readonly id: string;
  readonly name: string;
  readonly is_privileged: boolean;
  readonly gained: Figures;
  readonly lost: Figures;
}

interface Kind {
  readonly gained: Figures;
  readonly lost: Figures;
  readonly system_users: readonly AccountFigures[];
}

/** A person; a new one has no id yet. */
export interface PersonRow {
  readonly id: string | null;
  readonly name: string;
  readonly username: string;
  readonly gained_assets: number;
  readonly lost_assets: number;
  readonly gained_applications: number;
  readonly lost_applications: number;
}

/** An asset or application; a new one has no id yet. */
export interface TargetRow {
  readonly id: string | null;
  readonly name: string;
  readonly gained: boolean;
  readonly lost: boolean;
}

interface ApplicationRow extends TargetRow {
  readonly category: ApplicationCategory;
}

interface Page<Row> {
  readonly count: number;
  readonly results: readonly Row[];
}

export interface Preview {
  readonly assets: Kind;
  readonly applications: Kind;
  readonly people: Page<PersonRow>;
  readonly asset_list: Page<TargetRow>;
  readonly application_list: Page<ApplicationRow>;
}

export interface Asked {
  readonly changes: readonly AccessChange[];
  /** The instant for which both sides are compared; now by default. */
  readonly at?: string | undefined;
}

/** What the changes would do. `limit` and `offset` page all lists. Nothing is written. */
export function previewAccess(
  { changes, at }: Asked,
  signal: AbortSignal,
  page: { readonly limit: number; readonly offset: number } = { limit: 20, offset: 0 },
): Promise<Preview> {
  return http.post<Preview>('perms/preview/', at === undefined ? { changes } : { changes, at }, {
    query: { ...page },
    quiet: true,
    signal,
  });
}

/** Whether nobody gains or loses anything, not even another account. */
export function changesNothing(preview: Preview): boolean {
  return preview.people.count === 0;
}

/** Most changes in one request of the API. */
export const MAX_CHANGES = 1_000;
