import { expect, test } from 'vitest';
import { setSession } from '#/lib/session';
import { admin, adminSession } from '#/test/render';
import {
  rememberColumns,
  rememberDensity,
  rememberedColumns,
  rememberedDensity,
  rememberedPageSize,
  rememberPageSize,
} from './table-config';

test('[S3-080] [S9-052] columns and row height are stored in local storage for each table', () => {
  expect(rememberedColumns('AssetListTable')).toBeNull();
  expect(rememberedDensity('AssetListTable')).toBe('normal');
  rememberColumns('AssetListTable', ['hostname', 'ip']);
  rememberDensity('AssetListTable', 'compact');
  expect(JSON.parse(localStorage.getItem('tableConfig') ?? '')).toEqual({
    AssetListTable: { showColumns: ['hostname', 'ip'], density: 'compact' },
  });
  expect(rememberedColumns('AssetListTable')).toEqual(['hostname', 'ip']);
  expect(rememberedDensity('AssetListTable')).toBe('compact');
  expect(rememberedColumns('UserListTable')).toBeNull();
  expect(rememberedDensity('UserListTable')).toBe('normal');
});

test('[S9-023] [S9-024] the page size is remembered for each user; the default is 15', () => {
  setSession(adminSession);
  expect(rememberedPageSize()).toBe(15);
  rememberPageSize(50);
  expect(rememberedPageSize()).toBe(50);
  setSession({ ...adminSession, profile: { ...admin, username: 'li' } });
  expect(rememberedPageSize()).toBe(15);
  rememberPageSize(100);
  setSession(adminSession);
  expect(rememberedPageSize()).toBe(50);
});

test('a damaged or invalid entry counts as absent', () => {
  localStorage.setItem('tableConfig', '{"paginationSize": 7, "AssetListTable": 3');
  expect(rememberedPageSize()).toBe(15);
  localStorage.setItem('tableConfig', '{"paginationSize": 7, "AssetListTable": 3}');
  expect(rememberedPageSize()).toBe(15);
  expect(rememberedColumns('AssetListTable')).toBeNull();
  expect(rememberedDensity('AssetListTable')).toBe('normal');
});
