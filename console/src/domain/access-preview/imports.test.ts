import { describe, expect, test } from 'vitest';
import type { CheckedImport } from '#/resource/define';
import { changesOf, uncountedIn } from './imports';

const NONE = new Map<string, string>();
const made = (values: Record<string, unknown>): CheckedImport => ({ id: null, values, changes: [] });
const changed = (id: string, ...changes: readonly [string, unknown, unknown][]): CheckedImport => ({
  id,
  values: { id },
  changes: changes.map(([field, before, after]) => ({ field, before, after })),
});

describe('what an import changes in access', () => {
  test('a new permission is previewed with its cells, a changed one with what decides access', () => {
    const cells = { name: 'night', users: ['li'], assets: ['web-1'], system_users: ['root'] };
    const rows = [
      made(cells),
      changed('p1', ['comment', '', 'x'], ['users', ['u1'], ['u1', 'u2']], ['users_amount', 1, 2]),
      changed('p2', ['name', 'a', 'b']),
    ];
    expect(changesOf('asset_permission', rows, NONE)).toEqual([
      { object: 'asset_permission', action: 'create', values: cells },
      { object: 'asset_permission', action: 'update', id: 'p1', values: { users: ['u1', 'u2'] } },
    ]);
    expect(uncountedIn('asset_permission', rows)).toBeNull();
  });

  test('people who join and leave groups are summed up by group; a deactivated person is a change of its own', () => {
    const rows = [
      changed('u1', ['groups', ['web'], ['web', 'db', 'unknown']]),
      changed('u2', ['groups', ['db', 'web'], ['db']], ['is_active', true, false]),
      changed('u3', ['phone', '', '1']),
      made({ name: 'New', groups: ['web'] }),
    ];
    const groups = new Map([
      ['web', 'g1'],
      ['db', 'g2'],
    ]);
    expect(changesOf('user', rows, groups)).toEqual([
      { object: 'user', action: 'update', id: 'u2', values: { is_active: false } },
      { object: 'user_group', action: 'update', id: 'g2', values: { add: ['u1'], remove: [] } },
      { object: 'user_group', action: 'update', id: 'g1', values: { add: [], remove: ['u2'] } },
    ]);
    expect(uncountedIn('user', rows)).toBe('people');
  });

  test('groups count by their members, assets by their state', () => {
    expect(
      changesOf('user_group', [changed('g1', ['users', [], ['ann']]), made({ name: 'x' })], NONE),
    ).toEqual([{ object: 'user_group', action: 'update', id: 'g1', values: { users: ['ann'] } }]);
    const assets = [
      changed('a1', ['is_active', true, false], ['comment', '', 'x']),
      changed('a2', ['os', '', 'x']),
    ];
    expect(changesOf('asset', assets, NONE)).toEqual([
      { object: 'asset', action: 'update', id: 'a1', values: { is_active: false } },
    ]);
    expect(uncountedIn('asset', assets)).toBeNull();
    expect(uncountedIn('asset', [made({})])).toBe('assets');
  });
});
