/**
 * Runs every part of the console's check, also after one has failed, and names all failures at the end: one run tells
 * everything that is to be mended. Only the budgets need another part: they weigh what the build made.
 */
import { spawnSync } from 'node:child_process';

const ROOT = new URL('..', import.meta.url).pathname;
const bin = (name, ...rest) => [`${ROOT}node_modules/.bin/${name}`, ...rest];
const tool = (name) => [process.execPath, `${ROOT}tools/${name}.mjs`];

export const PARTS = [
  { name: 'format', argv: bin('oxfmt', '--check') },
  { name: 'lint', argv: bin('oxlint', '--deny-warnings') },
  { name: 'types', argv: bin('tsc', '--noEmit') },
  { name: 'texts', argv: tool('locales') },
  { name: 'layers', argv: tool('layers') },
  { name: 'components', argv: tool('components') },
  { name: 'lock', argv: tool('lock-check') },
  { name: 'build', argv: ['npm', 'run', '--silent', 'build'] },
  { name: 'budgets', argv: tool('budgets'), after: 'build' },
];

/** Names of the parts that failed; `run` gives the exit status of a command. A part whose groundwork failed is not run. */
export function failedParts(parts, run) {
  const failed = [];
  for (const { name, argv, after } of parts) {
    if (after !== undefined && failed.includes(after)) failed.push(`${name} (not run: ${after} failed)`);
    else if (run(argv) !== 0) failed.push(name);
  }
  return failed;
}

if (process.argv[1]?.endsWith('check.mjs')) {
  const failed = failedParts(
    PARTS,
    ([command, ...rest]) => spawnSync(command, rest, { cwd: ROOT, stdio: 'inherit' }).status ?? 1,
  );
  if (failed.length > 0) {
    console.error(`failed: ${failed.join(', ')}`);
    process.exit(1);
  }
}
