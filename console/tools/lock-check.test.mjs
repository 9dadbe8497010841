import { expect, it } from 'vitest';

import { unhashed } from './lock-check.mjs';

const HASH = 'sha512-AAAA';

function lockOf(entry) {
  return { packages: { '': { name: 'console' }, 'node_modules/a': entry } };
}

it.each([
  ['a package with its hash', { version: '1.0.0', integrity: HASH }],
  ['a link into the tree', { link: true }],
  ['what comes inside another package', { version: '1.0.0', inBundle: true }],
  ['a build for another system', { version: '1.0.0', optional: true, os: ['darwin'], cpu: ['x64'] }],
  ['a build for another processor', { version: '1.0.0', optional: true, os: ['linux'], cpu: ['s390x'] }],
  [
    'a build for another C library',
    { version: '1.0.0', optional: true, os: ['linux'], cpu: ['x64'], libc: ['musl'] },
  ],
  ['a build for all systems but ours', { version: '1.0.0', optional: true, os: ['!linux'] }],
])('lets %s pass', (_, entry) => {
  expect(unhashed(lockOf(entry))).toEqual([]);
});

it.each([
  ['a package without a hash', { version: '1.0.0' }],
  ['a weak hash', { version: '1.0.0', integrity: 'sha1-AAAA' }],
  ['an optional package for every platform', { version: '1.0.0', optional: true }],
  ['a build for us', { version: '1.0.0', optional: true, os: ['linux'], cpu: ['x64'], libc: ['glibc'] }],
  ['a build for another system that is not optional', { version: '1.0.0', os: ['darwin'] }],
  [
    'a build for all systems but another',
    { version: '1.0.0', optional: true, os: ['!win32'], cpu: ['!ia32'] },
  ],
])('refuses %s', (_, entry) => {
  expect(unhashed(lockOf(entry))).toEqual(['node_modules/a']);
});
