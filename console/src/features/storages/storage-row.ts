import type { Api } from '#/lib/api-types';
import { http } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import { queryClient } from '#/lib/query';
import type { FieldMap } from '#/resource/api';
import type { StorageKind } from './addresses';

/** The fields of a storage that its screens use. */
export type StorageRow = Pick<
  Api<'ReplayStorage'>,
  'id' | 'name' | 'type_display' | 'meta' | 'is_default' | 'is_built_in' | 'comment'
> & { readonly type: string };

/** What the server found out about a storage, in words. */
export interface TestResult {
  readonly is_valid: boolean;
  readonly msg: string;
}

export const storageApi = {
  replay: 'terminal/replay-storages/',
  command: 'terminal/command-storages/',
} as const satisfies Record<StorageKind, string>;

/** Types of the built-in storages. No others of these types are made. */
const BUILT_IN = new Set(['server', 'null']);

// i18n: storages:built_in.*
/** Why a storage cannot be changed; undefined when it can. */
export function whyFixed(row: StorageRow): string | undefined {
  return row.is_built_in ? translate(`storages:built_in.${row.type}`) : undefined;
}

/** Why a storage cannot be deleted; undefined when it can, as far as the row says. */
export function whyKept(row: StorageRow): string | undefined {
  return whyFixed(row) ?? (row.is_default ? translate('storages:default.kept') : undefined);
}

/** Types of which the server makes a storage, from the fields of a new one. */
export function offeredTypes(fields: FieldMap | undefined) {
  return (fields?.['type']?.choices ?? [])
    .map((choice) => ({ type: String(choice.value), name: choice.display_name }))
    .filter(({ type }) => !BUILT_IN.has(type));
}

/** Tries the stored values. Resolves to the result also when the storage does not work. */
export function testStorage(kind: StorageKind, id: string): Promise<TestResult> {
  return http.post<TestResult>(`${storageApi[kind]}${id}/test-connective/`, undefined, { quiet: true });
}

/** The names of storages are choices in the forms of terminals, whose metadata is cached. */
export function forgetNames(): void {
  void queryClient.invalidateQueries({
    predicate: ({ queryKey: [kind, path] }) =>
      kind === 'metadata' && typeof path === 'string' && path.startsWith('terminal/terminals/'),
  });
}
