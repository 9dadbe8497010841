import { expect, test } from 'vitest';
import { type ApplicationNode, placeOfNode } from './ApplicationTree';
import { applicationPlaceOf } from './place';
import { validityOf } from './validity';

const NOW = new Date('2026-11-22T12:00:00Z');
const VALID = {
  is_active: true,
  date_start: '2026/01/01 00:00:00 +0000',
  date_expired: '2126/01/01 00:00:00 +0000',
  users: ['u'],
  user_groups: [],
};

function node(type: ApplicationNode['meta']['type'], value?: string): ApplicationNode {
  return { id: 'n1', name: 'x', pId: '', isParent: true, open: true, meta: { type, data: { value } } };
}

test.each([
  ['applications_root', undefined, {}],
  ['category', 'db', { category: 'db' }],
  ['type', 'mysql', { type: 'mysql' }],
  ['application', undefined, { app: 'n1' }],
] as const)('a node of the kind %s stands for its own place', (kind, value, place) => {
  expect(placeOfNode(node(kind, value))).toEqual(place);
});

test('the narrowest choice filters the list', () => {
  expect(applicationPlaceOf({ category: 'db', type: 'mysql', app: 'a1' })).toEqual({ app: 'a1' });
  expect(applicationPlaceOf({ category: 'db', type: 'mysql' })).toEqual({ type: 'mysql' });
  expect(applicationPlaceOf({ category: 'db' })).toEqual({ category: 'db' });
  expect(applicationPlaceOf({})).toBeUndefined();
});

test('a permission without applications says so, and one with an application is valid', () => {
  expect(validityOf({ ...VALID, applications: [] }, NOW).key).toBe('no_application');
  expect(validityOf({ ...VALID, applications: ['a'] }, NOW).key).toBe('valid');
  expect(validityOf({ ...VALID, assets: [], nodes: [] }, NOW).key).toBe('nothing');
});
