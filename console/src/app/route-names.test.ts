import { expect, test } from 'vitest';
import { records } from './sections';

const lists = records.filter((record) => record.name.endsWith('List'));

test.each(lists.map((record) => [record.name, record] as const))(
  '[S2-218] [S2-219] the screens below %s are named by replacing List with Create and Update',
  (_name, list) => {
    const below = records.filter((record) => record.parent === list.name);
    for (const record of below) {
      if (record.path.endsWith('/create')) expect(record.name).toBe(list.name.replace('List', 'Create'));
      else if (record.path.endsWith('$id/update'))
        expect(record.name).toBe(list.name.replace('List', 'Update'));
    }
  },
);

test('there are lists with both screens to hold to that', () => {
  const names = new Set(records.map((record) => record.name));
  const complete = lists.filter(
    ({ name }) => names.has(name.replace('List', 'Create')) && names.has(name.replace('List', 'Update')),
  );
  expect(complete.length).toBeGreaterThan(3);
});
