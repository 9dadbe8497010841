import { afterEach, expect, test, vi } from 'vitest';
import { applicationPath, categoryOf, createEntries, protocolOf } from './kinds';

const licence = vi.hoisted(() => ({ isValid: false }));
vi.mock('#/lib/session', () => ({
  currentSession: () => ({ settings: { XPACK_LICENSE_IS_VALID: licence.isValid } }),
}));

afterEach(() => {
  licence.isValid = false;
});

test('a create menu has every type under its category, and forms get both', () => {
  licence.isValid = true;
  const entries = createEntries('/make', undefined, { user: 'u1' });
  expect(entries.map(({ id }) => id)).toEqual([
    'chrome',
    'mysql_workbench',
    'vmware_client',
    'custom',
    'mysql',
    'postgresql',
    'mariadb',
    'oracle',
    'k8s',
  ]);
  expect(entries.filter((entry) => entry.group !== undefined).map(({ id }) => id)).toEqual([
    'chrome',
    'mysql',
    'k8s',
  ]);
  expect(entries[4]?.to).toBe('/make?category=db&type=mysql&user=u1');
  expect(entries.every((entry) => entry.disabledReason === undefined)).toBe(true);
});

test('without a licence, remote apps stay in the menu and say what they need', () => {
  const closed = createEntries('/make').filter((entry) => entry.disabledReason !== undefined);
  expect(closed.map(({ id }) => id)).toEqual(['chrome', 'mysql_workbench', 'vmware_client', 'custom']);
});

test('the menu of one category has no headings', () => {
  expect(createEntries('/make', ['db']).some((entry) => entry.group !== undefined)).toBe(false);
});

test.each([
  ['chrome', 'remote_app', 'rdp'],
  ['custom', 'remote_app', 'rdp'],
  ['oracle', 'db', 'oracle'],
  ['k8s', 'cloud', 'k8s'],
])('%s is of the category %s, and its system users speak %s', (type, category, protocol) => {
  expect(categoryOf(type)).toBe(category);
  expect(protocolOf(type)).toBe(protocol);
});

test('a word that is no type has no category', () => {
  expect(categoryOf('ssh')).toBeUndefined();
  expect(categoryOf(undefined)).toBeUndefined();
});

test('the page of an application is below the list of its category', () => {
  expect(applicationPath({ id: 'a1', category: 'cloud' })).toBe('/applications/kubernetes/a1');
});
