import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, expect, test } from 'vitest';

const CHECK = resolve('tools/layers.mjs');
const made: string[] = [];

afterEach(() => {
  for (const folder of made.splice(0)) rmSync(folder, { recursive: true });
});

/** Runs the check over these files. */
function check(files: Readonly<Record<string, string>>) {
  const root = mkdtempSync(join(tmpdir(), 'layers-'));
  made.push(root);
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(join(root, dirname(path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  const { status, stderr } = spawnSync(process.execPath, [CHECK, root], { encoding: 'utf8' });
  return { status, said: stderr.trim() };
}

test('imports may point to lower layers', () => {
  const files = {
    'features/users/Page.tsx': "import '#/domain/mfa/api';\nimport '#/resource/list';\n",
    'domain/mfa/api.ts': "import '#/lib/http';\n",
    'resource/list.ts': "import '#/ui/table';\n",
  };
  expect(check(files)).toEqual({ status: 0, said: '' });
});

test.each([
  ['resource', 'domain'],
  ['resource', 'features'],
  ['domain', 'features'],
  ['ui', 'resource'],
  ['lib', 'ui'],
])('%s must not import %s', (from, to) => {
  const said = `${from}/a.ts: ${from} must not import ${to}/b`;
  expect(check({ [`${from}/a.ts`]: `import '#/${to}/b';\n` })).toEqual({ status: 1, said });
});

test.each([
  'const { requireMfa } = it;',
  "fetchPage('assets/nodes/');",
  'const system_users = [];',
  "import { sshLine } from './line';",
])('the kit does not name a kind of object: %s', (line) => {
  const { status, said } = check({ 'resource/list.ts': `/* the list */\n${line}\n` });
  expect(status).toBe(1);
  expect(said).toContain('resource/list.ts:2: the kit names a kind of object');
});

test('comments of the kit may contain examples, and domain folders may name their subject', () => {
  const files = {
    'resource/list.ts': '// e.g. `assets/assets/`\n',
    'domain/nodes.ts': "get('assets/nodes/');\n",
  };
  expect(check(files).status).toBe(0);
});

test("the browser's own date input is refused", () => {
  const said = "features/a/Form.tsx: use ui/dates instead of the browser's date input";
  expect(check({ 'features/a/Form.tsx': '<input type="datetime-local" />' })).toEqual({ status: 1, said });
});

test('an import cycle is refused', () => {
  const files = { 'lib/a.ts': "import './b';\n", 'lib/b.ts': "import './a';\n" };
  expect(check(files).said).toContain('circle of imports: lib/a.ts → lib/b.ts → lib/a.ts');
});

test.each(['defineResource<Row>({})', 'defineResource({})', 'definePlain<Row>({})'])(
  '%s without a path is refused',
  (call) => {
    const said =
      'features/a/a.resource.tsx: the resource names no path: its columns, fields and filters are not checked';
    expect(check({ 'features/a/a.resource.tsx': call })).toEqual({ status: 1, said });
  },
);

test.each(['const key = name as Key;', 'const row: any = 1;'])(
  'a resource must not hide names: %s',
  (line) => {
    const said = 'features/a/a.resource.tsx: a cast or any hides wrong names in a resource';
    expect(check({ 'features/a/a.resource.tsx': line })).toEqual({ status: 1, said });
  },
);
