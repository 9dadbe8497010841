import { expect, test } from 'vitest';
import { actionNames, chosenLeaves } from './actions';

test('[S6-061] [S6-062] [S6-063] group names of the server include their leaves', () => {
  expect([...chosenLeaves(['connect', 'updownload'])]).toEqual(['connect', 'upload_file', 'download_file']);
  expect(chosenLeaves(['all']).size).toBe(5);
  expect(chosenLeaves(['all']).has('forward')).toBe(false);
  expect(chosenLeaves(['all', 'forward']).size).toBe(6);
});

test('groups are sent only when all their leaves are chosen', () => {
  expect(actionNames(new Set(['connect', 'download_file']))).toEqual(['connect', 'download_file']);
  expect(actionNames(chosenLeaves(['all']))).toEqual([
    'all',
    'connect',
    'updownload',
    'upload_file',
    'download_file',
    'clipboard_copy_paste',
    'clipboard_copy',
    'clipboard_paste',
  ]);
  expect(actionNames(chosenLeaves(['connect', 'forward']))).toEqual(['connect', 'forward']);
  expect(actionNames(chosenLeaves(['all', 'forward'])).at(-1)).toBe('forward');
});
