import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';

/** Runs the check over one file with a component of so many lines. */
function check(length, name = 'Page') {
  const root = mkdtempSync(join(tmpdir(), 'components-'));
  onTestFinished(() => rmSync(root, { recursive: true }));
  const body = Array.from({ length: length - 2 }, (_, at) => `  step(${at});`).join('\n');
  writeFileSync(join(root, 'Page.tsx'), `import './a';\n\nexport function ${name}() {\n${body}\n}\n`);
  const { status, stderr } = spawnSync(process.execPath, [resolve('tools/components.mjs'), root], {
    encoding: 'utf8',
  });
  return { status, said: stderr.trim() };
}

test('a component of 100 lines passes', () => {
  expect(check(100)).toEqual({ status: 0, said: '' });
});

test('a longer one is named, and so is a hook', () => {
  expect(check(101)).toEqual({
    status: 1,
    said: 'Page.tsx Page: 101 lines, 100 allowed; split it along what it does',
  });
  expect(check(101, 'usePage').said).toContain('Page.tsx usePage');
});

test('other functions may be long', () => {
  expect(check(150, 'connect').status).toBe(0);
});
