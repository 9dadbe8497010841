/**
 * Completes package-lock.json after `npm install`: mirrors of the registry may lack the builds of a package for other
 * platforms, npm then leaves them out of the lock, and `npm ci` refuses a lock without them. Each is added by name and
 * version with the platform that its name states; no download address is written. Its hash is asked for as well, and is
 * left out only where the registry does not have the package: lock-check.mjs refuses that for our own platforms.
 */
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const FILE = new URL('../package-lock.json', import.meta.url);
const OS = {
  android: 'android',
  darwin: 'darwin',
  freebsd: 'freebsd',
  linux: 'linux',
  openharmony: 'openharmony',
  win32: 'win32',
};
const CPU = new Set(['arm64', 'arm', 'ia32', 'ppc64', 'riscv64', 's390x', 'x64', 'wasm32']);

const lock = JSON.parse(readFileSync(FILE, 'utf8'));
const { packages } = lock;
const added = [];
for (const [path, entry] of Object.entries(packages)) {
  delete entry.resolved;
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const own = `node_modules/${name}`;
    const nested = `${path}/node_modules/${name}`;
    if (packages[own] || packages[nested]) continue;
    const words = name.slice(name.lastIndexOf('/') + 1).split('-');
    const os = words.map((word) => OS[word]).find(Boolean);
    const cpu = words.find((word) => CPU.has(word));
    if (!cpu || (!os && cpu !== 'wasm32')) throw new Error(`${name}: its name states no platform`);
    packages[own] = {
      version,
      cpu: [cpu],
      ...(entry.dev ? { dev: true } : {}),
      ...(words.some((word) => word.startsWith('musl')) ? { libc: ['musl'] } : {}),
      ...(words.includes('gnu') ? { libc: ['glibc'] } : {}),
      optional: true,
      ...(os ? { os: [os] } : {}),
    };
    added.push(name);
  }
}
/** The hash that the registry states for a version; undefined when it does not hold it. */
function integrityOf(name, version) {
  const asked = spawnSync('npm', ['view', `${name}@${version}`, 'dist.integrity'], {
    encoding: 'utf8',
    timeout: 30_000,
  });
  const answer = asked.status === 0 ? asked.stdout.trim() : '';
  return /^sha512-[A-Za-z0-9+/]{86}==$/.test(answer) ? answer : undefined;
}

let unknown = 0;
for (const [path, entry] of Object.entries(packages)) {
  if (path === '' || entry.link || entry.integrity) continue;
  const integrity = integrityOf(path.slice(path.lastIndexOf('node_modules/') + 13), entry.version);
  if (integrity === undefined) unknown += 1;
  else packages[path] = { version: entry.version, integrity, ...entry };
}
lock.packages = Object.fromEntries(Object.entries(packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(FILE, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`package-lock.json: ${added.length} builds for other platforms added, ${unknown} without a hash`);
