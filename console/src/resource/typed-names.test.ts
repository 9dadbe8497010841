import { Server } from 'lucide-react';
import { expect, test } from 'vitest';
import { type BulkUpdateDefinition, defineForm, defineResource, type NamesOf } from './define';

/* The compiler is the test: an expected error that does not occur is an error itself (`npm run check`). `filters`,
   fields and columns of a definition accept only names of the API at its path. */
type Names = NamesOf<'assets/assets/'>;

const routes = { names: { list: 'L' }, paths: { list: '/l' }, titles: { list: 'nav:asset_list' } };
const noun = { one: 'resource:yes', many: 'resource:yes', what: 'resource:yes' };

const bulk: BulkUpdateDefinition<Names['written']> = {
  // @ts-expect-error -- no such field
  fields: ['comment', 'citty'],
  // @ts-expect-error -- no such field
  specs: { citty: {} },
};

const form = defineForm<'assets/assets/'>({
  // @ts-expect-error -- no such field
  groups: [{ title: 'resource:yes', fields: ['hostname', 'citty'] }],
  // @ts-expect-error -- no such field
  fields: { citty: { control: 'switch' } },
});

const definition = defineResource<{ readonly id: string }, 'assets/assets/', 'screen_only'>({
  name: 'T',
  api: 'assets/assets/',
  routes,
  icon: Server,
  nameOf: (row) => row.id,
  noun,
  list: {
    columns: [
      'hostname',
      'screen_only',
      // @ts-expect-error -- no such column
      'citty',
      // @ts-expect-error -- no such column
      { key: 'citty', sortable: false },
    ],
    // @ts-expect-error -- no such column
    shown: ['hostname', 'citty'],
    filters: [
      { key: 'label', label: 'resource:yes' },
      // @ts-expect-error -- no such filter
      { key: 'citty', label: 'resource:yes' },
    ],
    // @ts-expect-error -- no such field
    bulkUpdate: { fields: ['comment', 'citty'] },
  },
  detail: {
    cards: [
      // @ts-expect-error -- no such field
      { title: 'resource:yes', fields: ['hostname', 'citty'] },
    ],
  },
});

test('names that the API does not have are compile errors; at run time a definition is returned unchanged', () => {
  expect(definition.list.columns).toHaveLength(4);
  expect(bulk.fields).toContain('citty');
  expect(form.groups).toHaveLength(1);
});
