import { describe, expect, test } from 'vitest';
import type { CheckedImport } from '#/resource/define';
import { changesOf } from './imports';

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
    expect(changesOf('asset_permission', rows)).toEqual([
      { object: 'asset_permission', action: 'create', values: cells },
      { object: 'asset_permission', action: 'update', id: 'p1', values: { users: ['u1', 'u2'] } },
    ]);
  });

  test('people count by their state, end and groups, new ones as well', () => {
    const rows = [
      changed('u1', ['groups', ['web'], ['web', 'db']], ['email', '', 'x@y']),
      changed('u2', ['date_expired', null, '2027-01-01T00:00:00Z'], ['is_active', true, false]),
      changed('u3', ['phone', '', '1']),
      made({ name: 'New', username: 'new', phone: '1', groups: ['web'] }),
    ];
    expect(changesOf('user', rows)).toEqual([
      { object: 'user', action: 'update', id: 'u1', values: { groups: ['web', 'db'] } },
      {
        object: 'user',
        action: 'update',
        id: 'u2',
        values: { date_expired: '2027-01-01T00:00:00Z', is_active: false },
      },
      {
        object: 'user',
        action: 'create',
        values: { name: 'New', username: 'new', groups: ['web'] },
      },
    ]);
  });

  test('groups count by their members, assets by state, nodes and protocols; no permission names a new group', () => {
    expect(
      changesOf('user_group', [changed('g1', ['users', [], ['ann']]), made({ name: 'x', users: ['ann'] })]),
    ).toEqual([{ object: 'user_group', action: 'update', id: 'g1', values: { users: ['ann'] } }]);
    const assets = [
      changed('a1', ['nodes_display', ['/Default'], ['/Default/web']], ['comment', '', 'x']),
      changed('a2', ['os', '', 'x']),
      made({ hostname: 'new', ip: '127.0.0.1', nodes: ['/Default/web'], protocols: ['ssh/22'] }),
    ];
    expect(changesOf('asset', assets)).toEqual([
      { object: 'asset', action: 'update', id: 'a1', values: { nodes_display: ['/Default/web'] } },
      {
        object: 'asset',
        action: 'create',
        values: { hostname: 'new', nodes: ['/Default/web'], protocols: ['ssh/22'] },
      },
    ]);
  });
});
