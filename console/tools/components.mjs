/**
 * Components and hooks of more than 100 lines, longest first. One that is new on this list, or that has grown, fails the check: it is
 * to be split along what it does. Whoever shortens one lowers its figure here, and removes it at 100.
 * An argument names another folder than `src` (the check's own test uses it).
 */
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';

const ROOT = process.argv[2] ?? new URL('../src', import.meta.url).pathname;
const MOST = 100;
/** Longer ones of the time when this check began: a debt that may only shrink. */
const KNOWN = {
  'resource/generic/GenericTable.tsx GenericTable': 234,
  'resource/list/tag-search.tsx TagSearch': 199,
  'resource/list/ResourceList.tsx ResourceList': 184,
  'features/sessions/ReplayView.tsx ReplayView': 132,
  'resource/form/ResourceForm.tsx LoadedForm': 173,
  'ui/picker.tsx Picker': 173,
  'features/connect/ConnectPage.tsx ConnectPage': 116,
  'ui/tree.tsx Tree': 149,
  'islands/terminal/LiveTerminal.tsx LiveTerminal': 143,
  'app/palette/Palette.tsx Palette': 138,
  'features/connect/PaneView.tsx PaneView': 134,
  'domain/node-tree/NodeTree.tsx NodeTree': 128,
  'resource/bulk/BulkUpdateDialog.tsx LoadedDialog': 131,
  'ui/table.tsx Table': 131,
  'app/views/ViewTabs.tsx ViewTabs': 129,
  'resource/detail/ResourceDetail.tsx ResourceDetail': 128,
  'resource/exchange/RunStep.tsx RunStep': 128,
  'ui/menu.tsx MenuList': 127,
  'resource/form/FieldInput.tsx FieldInput': 125,
  'resource/exchange/ExportDialog.tsx ExportDialog': 115,
  'features/users/InviteDialog.tsx InviteDialog': 111,
  'features/assets/PlacementDialog.tsx PlacementDialog': 110,
  'features/access-keys/AccessKeysDialog.tsx AccessKeysDialog': 107,
  'features/profile/second-factor/SecondFactorCard.tsx SecondFactorCard': 105,
  'app/pages/GalleryData.tsx Data': 103,
  'resource/detail/RelationCard.tsx RelationCard': 103,
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
