/**
 * Lists components and hooks of more than 100 lines, longest first. They fail the check and have to be split along
 * what they do.
 * An argument names another folder than `src` (used by the test of this check).
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

const ROOT = process.argv[2] ?? new URL('../src', import.meta.url).pathname;
const MOST = 100;

function* files(folder) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) yield* files(path);
    else if (name.endsWith('.tsx') && !name.endsWith('.test.tsx')) yield path;
  }
}

/** Functions at the top of a file, whose closing brace stands at the line's start: the formatter sees to that. */
function components(text) {
  const lines = text.split('\n');
  const found = [];
  lines.forEach((line, start) => {
    const name = /^(?:export )?(?:default )?function (\w+)/.exec(line)?.[1];
    if (name === undefined || !/^[A-Z]|^use[A-Z]/.test(name)) return;
    const end = lines.findIndex((later, at) => at > start && later === '}');
    found.push({ name, length: end - start + 1 });
  });
  return found;
}

const long = [...files(ROOT)]
  .flatMap((path) =>
    components(readFileSync(path, 'utf8')).map((one) => ({
      ...one,
      key: `${relative(ROOT, path)} ${one.name}`,
    })),
  )
  .filter(({ length }) => length > MOST)
  .sort((one, other) => other.length - one.length);
if (long.length > 0) {
  for (const { key, length } of long)
    console.error(`${key}: ${length} lines, ${MOST} allowed; split it along what it does`);
  process.exit(1);
}
console.log(`components: none above ${MOST} lines`);
