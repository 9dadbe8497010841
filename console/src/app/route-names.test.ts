import { expect, test } from 'vitest';
import { records } from './sections';

/** Names of the create and update screens that stand at a list's address, beside what the list's name makes of them. */
const pairs = records
  .filter((record) => record.name.endsWith('List'))
  .flatMap((list) =>
    (['Create', 'Update'] as const).flatMap((screen) => {
      const path = `${list.path}/${screen === 'Create' ? 'create' : '$id/update'}`;
      const found = records.find((record) => record.path === path);
      return found ? [[path, found.name, list.name.replace('List', screen)] as const] : [];
    }),
  );

test.each(pairs)(
  '[S2-218] [S2-219] %s is named %s: the name of its list with List replaced',
  (_path, name, derived) => {
    expect(name).toBe(derived);
  },
);

test('there are several such screens', () => {
  expect(pairs.length).toBeGreaterThanOrEqual(8);
});
