import type { CheckedImport } from '#/resource/define';
import type { AccessChange } from './preview';

type Rows = readonly CheckedImport[];

/** The values of a permission that decide access; the others need not be sent. */
const TERMS = new Set([
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
]);

/** The new values of the fields that an update changes. */
function after(row: CheckedImport, isAsked: (field: string) => boolean): Record<string, unknown> {
  return Object.fromEntries(
    row.changes.filter(({ field }) => isAsked(field)).map(({ field, after: value }) => [field, value]),
  );
}

/** An update, or nothing when it changes none of these fields. */
function update(
  object: AccessChange['object'],
  row: CheckedImport,
  isAsked: (field: string) => boolean,
): readonly AccessChange[] {
  const values = after(row, isAsked);
  if (row.id === null || Object.keys(values).length === 0) return [];
  return [{ object, action: 'update', id: row.id, values }];
}

function textsIn(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.filter((text): text is string => typeof text === 'string') : [];
}

/** Permissions: a new one grants what its row names. */
function permissionChanges(
  object: 'asset_permission' | 'application_permission',
  rows: Rows,
): readonly AccessChange[] {
  return rows.flatMap((row) =>
    row.id === null
      ? [{ object, action: 'create' as const, values: row.values }]
      : update(object, row, (field) => TERMS.has(field)),
  );
}

/** Groups: no permission names a new one, so only other members change access. */
function groupChanges(rows: Rows): readonly AccessChange[] {
  return rows.flatMap((row) => update('user_group', row, (field) => field === 'users'));
}

/** Assets: an inactive one is reached by nobody. */
function assetChanges(rows: Rows): readonly AccessChange[] {
  return rows.flatMap((row) => update('asset', row, (field) => field === 'is_active'));
}

/** Groups by the name that a file has for them. */
export type GroupIds = ReadonlyMap<string, string>;

/** Whether people join or leave groups, which the rows name. */
export function namesGroups(object: ImportedObject, rows: Rows): boolean {
  return object === 'user' && rows.some(({ changes }) => changes.some(({ field }) => field === 'groups'));
}

/** People: inactive ones reach nothing, and those who join or leave groups reach what the groups do. */
function personChanges(rows: Rows, groupIds: GroupIds): readonly AccessChange[] {
  const groups = new Map<string, { readonly add: string[]; readonly remove: string[] }>();
  const groupOf = (name: string) => {
    const found = groups.get(name) ?? { add: [], remove: [] };
    groups.set(name, found);
    return found;
  };
  for (const { id, changes } of rows) {
    const change = changes.find(({ field }) => field === 'groups');
    if (id === null || change === undefined) continue;
    const [before, now] = [textsIn(change.before), textsIn(change.after)];
    for (const group of now) if (!before.includes(group)) groupOf(group).add.push(id);
    for (const group of before) if (!now.includes(group)) groupOf(group).remove.push(id);
  }
  return [
    ...rows.flatMap((row) => update('user', row, (field) => field === 'is_active')),
    ...[...groups].flatMap(([name, values]) => {
      const id = groupIds.get(name);
      return id === undefined
        ? []
        : [{ object: 'user_group' as const, action: 'update' as const, id, values: { ...values } }];
    }),
  ];
}

/** The objects whose imports may change access. */
export type ImportedObject = 'asset_permission' | 'application_permission' | 'user_group' | 'user' | 'asset';

/** What importing these rows changes in access. */
export function changesOf(object: ImportedObject, rows: Rows, groupIds: GroupIds): readonly AccessChange[] {
  switch (object) {
    case 'asset_permission':
    case 'application_permission':
      return permissionChanges(object, rows);
    case 'user_group':
      return groupChanges(rows);
    case 'user':
      return personChanges(rows, groupIds);
    case 'asset':
      return assetChanges(rows);
  }
}

/** New objects that get access through others, which cannot be said before they exist. */
export function uncountedIn(object: ImportedObject, rows: Rows): 'people' | 'assets' | null {
  if (!rows.some(({ id }) => id === null)) return null;
  if (object === 'user') return 'people';
  return object === 'asset' ? 'assets' : null;
}
