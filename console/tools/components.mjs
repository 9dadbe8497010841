/**
 * Lists components and hooks of more than 100 lines, longest first. A new or longer one fails the check and has to be
 * split along what it does. After shortening one, lower its number below; remove it at 100.
 * An argument names another folder than `src` (used by the test of this check).
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

const ROOT = process.argv[2] ?? new URL('../src', import.meta.url).pathname;
const MOST = 100;
/** Components that were longer when the check was introduced, with their length. */
const KNOWN = {
  'resource/list/ResourceList.tsx ResourceList': 152,
  'islands/terminal/LiveTerminal.tsx LiveTerminal': 143,
  'features/connect/PaneView.tsx PaneView': 134,
};

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
const problems = long
  .filter(({ key, length }) => length > (KNOWN[key] ?? MOST))
  .map(
    ({ key, length }) =>
      `${key}: ${length} lines, ${KNOWN[key] ?? MOST} allowed; split it along what it does`,
  );
const present = new Map(long.map(({ key, length }) => [key, length]));
for (const [key, length] of process.argv[2] ? [] : Object.entries(KNOWN)) {
  if ((present.get(key) ?? 0) < length)
    problems.push(
      `${key}: ${present.get(key) ?? `at most ${MOST}`} lines now; lower its figure in tools/components.mjs`,
    );
}
for (const { key, length } of long) console.log(`${String(length).padStart(4)}  ${key}`);
if (problems.length > 0) {
  console.error(problems.join('\n'));
  process.exit(1);
}
console.log(`components: ${long.length} above ${MOST} lines, none new, none longer`);
