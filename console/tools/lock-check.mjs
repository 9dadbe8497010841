/**
 * Refuses a package-lock.json in which something that can be installed here has no hash: `npm ci` would take whatever the
 * registry answers. Builds for other platforms may lack one where a mirror does not hold them (see complete-lock.mjs).
 */
import { readFileSync } from 'node:fs';

/** The platforms on which the console is built and tested. */
const PLATFORMS = ['x64', 'arm64'].map((cpu) => ({ os: 'linux', cpu, libc: 'glibc' }));

/** npm's own rule: a list names what is meant, or with `!` what is not; none means all. */
function allows(list, value) {
  if (list === undefined || list.length === 0) return true;
  const named = list.filter((one) => !one.startsWith('!'));
  return !list.includes(`!${value}`) && (named.length === 0 || named.includes(value));
}

function installsHere(entry) {
  if (entry.optional !== true) return true;
  return PLATFORMS.some(
    ({ os, cpu, libc }) => allows(entry.os, os) && allows(entry.cpu, cpu) && allows(entry.libc, libc),
  );
}

/** Paths of the entries without a hash that could be installed on one of our platforms. */
export function unhashed(lock) {
  return Object.entries(lock.packages)
    .filter(
      ([path, entry]) =>
        path !== '' &&
        entry.link !== true &&
        entry.inBundle !== true &&
        !(entry.integrity ?? '').startsWith('sha512-') &&
        installsHere(entry),
    )
    .map(([path]) => path);
}

if (process.argv[1]?.endsWith('lock-check.mjs')) {
  const found = unhashed(JSON.parse(readFileSync(new URL('../package-lock.json', import.meta.url), 'utf8')));
  if (found.length > 0) {
    console.error(`package-lock.json: no hash for ${found.join(', ')}`);
    process.exit(1);
  }
}
