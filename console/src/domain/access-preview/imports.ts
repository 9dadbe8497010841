import type { CheckedImport } from '#/resource/define';
import { DECISIVE as OF_FORMS } from './decisive';
import type { AccessChange } from './preview';

type Rows = readonly CheckedImport[];

const TERMS = [
  'users',
  'user_groups',
  'assets',
  'nodes',
  'applications',
  'system_users',
  'actions',
  'is_active',
  'date_start',
  'date_expired',
];
const ASSET = [...OF_FORMS.asset, 'nodes_display'];

/** The objects whose imports may change access. */
export type ImportedObject = 'asset_permission' | 'application_permission' | 'user_group' | 'user' | 'asset';

/** The fields that decide access; the others need not be sent. */
const DECISIVE: Readonly<Record<ImportedObject, ReadonlySet<string>>> = {
  asset_permission: new Set(TERMS),
  application_permission: new Set(TERMS),
  user_group: new Set(OF_FORMS.user_group),
  user: new Set(OF_FORMS.user),
  asset: new Set(ASSET),
};
/** What is sent of a new object; null: all cells. No permission names a new group. */
const OF_NEW: Readonly<Record<ImportedObject, ReadonlySet<string> | null | undefined>> = {
  asset_permission: null,
  application_permission: null,
  user_group: undefined,
  user: new Set([...OF_FORMS.user, 'name', 'username']),
  asset: new Set([...ASSET, 'hostname']),
};

function created(object: ImportedObject, { values }: CheckedImport): readonly AccessChange[] {
  const fields = OF_NEW[object];
  if (fields === undefined) return [];
  const sent = Object.entries(values).filter(([field]) => fields === null || fields.has(field));
  return [{ object, action: 'create', values: Object.fromEntries(sent) }];
}

function updated(object: ImportedObject, id: string, row: CheckedImport): readonly AccessChange[] {
  const decisive = row.changes.filter(({ field }) => DECISIVE[object].has(field));
  if (decisive.length === 0) return [];
  const values = Object.fromEntries(decisive.map(({ field, after }) => [field, after]));
  return [{ object, action: 'update', id, values }];
}

/** What importing these rows changes in access. */
export function changesOf(object: ImportedObject, rows: Rows): readonly AccessChange[] {
  return rows.flatMap((row) => (row.id === null ? created(object, row) : updated(object, row.id, row)));
}
