import { expect, test } from 'vitest';
import type { Entry, Name } from './contract';
import { rightsOf } from './contract';
import {
  above,
  crumbsOf,
  inFolder,
  isFile,
  isFolder,
  isPicture,
  modeText,
  numbered,
  octal,
  pathOf,
  readOctal,
} from './file-paths';

const name = (text: string): Name => ({ text, id: `${text}-id` });
const entry = (more: Partial<Entry>): Entry => ({ name: name('a'), kind: 'file', ...more });

test('a path is made of the ids of its names, the root of the host is empty', () => {
  expect(pathOf([])).toBe('');
  expect(pathOf([name('srv'), name('www')])).toBe('srv-id/www-id');
  expect(inFolder('', name('srv'))).toBe('srv-id');
  expect(inFolder('srv-id', name('www'))).toBe('srv-id/www-id');
});

test('crumbs begin at the topmost folder that may be reached, and nothing leads above it', () => {
  const path = [name('srv'), name('www'), name('logs')];
  expect(crumbsOf({ path, top: 0 }).map((crumb) => crumb.path)).toEqual([
    '',
    'srv-id',
    'srv-id/www-id',
    'srv-id/www-id/logs-id',
  ]);
  expect(crumbsOf({ path, top: 2 }).map((crumb) => crumb.name?.text)).toEqual(['www', 'logs']);
  expect(above({ path, top: 2 })).toBe('srv-id/www-id');
  expect(above({ path: path.slice(0, 2), top: 2 })).toBeNull();
  expect(above({ path: [], top: 0 })).toBeNull();
});

test('a link is what it leads to', () => {
  expect(isFolder(entry({ kind: 'link', leads_to: 'folder' }))).toBe(true);
  expect(isFile(entry({ kind: 'link', leads_to: 'file' }))).toBe(true);
  expect(isFile(entry({ kind: 'link', leads_to: null }))).toBe(false);
  expect(isPicture(entry({ name: name('Logo.PNG') }))).toBe(true);
  // A browser would run what is in it.
  expect(isPicture(entry({ name: name('logo.svg') }))).toBe(false);
});

test('permission bits are read and written as letters and as an octal number', () => {
  expect(modeText(entry({ kind: 'folder', mode: 0o750 }))).toBe('drwxr-x---');
  expect(modeText(entry({ mode: 0o644 }))).toBe('-rw-r--r--');
  expect(modeText(entry({ mode: null }))).toBe('');
  expect(octal(0o4)).toBe('004');
  expect(readOctal('0755')).toBe(0o755);
  for (const wrong of ['', '78', '888', '12345', '0x1f']) expect(readOctal(wrong)).toBeNull();
});

test('another name keeps the extension; a leading dot begins none', () => {
  expect(numbered('report.pdf', 2)).toBe('report (2).pdf');
  expect(numbered('Makefile', 3)).toBe('Makefile (3)');
  expect(numbered('.bashrc', 2)).toBe('.bashrc (2)');
});

test('uploads and downloads are permitted by their own bits', () => {
  expect(rightsOf(0b0111)).toEqual({ upload: true, download: true });
  expect(rightsOf(0b0101)).toEqual({ upload: false, download: true });
  expect(rightsOf(0b0011)).toEqual({ upload: true, download: false });
});
