import { expect, test } from 'vitest';
import { records } from './sections';

/** Create and update screens below a list's address whose names do not follow from the name of the list. */
const pairs = records
  .filter((record) => record.name.endsWith('List'))
  .flatMap((list) =>
    (['Create', 'Update'] as const).flatMap((screen) => {
      const path = `${list.path}/${screen === 'Create' ? 'create' : '$id/update'}`;
      const record = records.find((record) => record.path === path);
      return record ? [[path, record.name, list.name.replace('List', screen)] as const] : [];
    }),
  );

test.each(pairs)(
  '[S2-218] [S2-219] %s is named %s: the name of its list with List replaced',
  (_path, name, derived) => {
    expect(name).toBe(derived);
  },
);

test('several such screens exist', () => {
  expect(pairs.length).toBeGreaterThanOrEqual(8);
});
