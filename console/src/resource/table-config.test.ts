import { expect, test } from 'vitest';
import { rememberColumns, rememberedColumns, rememberedPageSize, rememberPageSize } from './table-config';

test('page size and columns live together under tableConfig', () => {
  expect(rememberedPageSize()).toBe(15);
  rememberPageSize(50);
  rememberColumns('AssetListTable', ['hostname', 'ip']);
  expect(JSON.parse(localStorage.getItem('tableConfig') ?? '')).toEqual({
    paginationSize: 50,
    AssetListTable: { showColumns: ['hostname', 'ip'] },
  });
  expect(rememberedPageSize()).toBe(50);
  expect(rememberedColumns('AssetListTable')).toEqual(['hostname', 'ip']);
  expect(rememberedColumns('UserListTable')).toBeNull();
});

test('a damaged or foreign entry counts as absent', () => {
  localStorage.setItem('tableConfig', '{"paginationSize": 7, "AssetListTable": 3');
  expect(rememberedPageSize()).toBe(15);
  localStorage.setItem('tableConfig', '{"paginationSize": 7, "AssetListTable": 3}');
  expect(rememberedPageSize()).toBe(15);
  expect(rememberedColumns('AssetListTable')).toBeNull();
});
