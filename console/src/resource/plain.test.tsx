import { screen } from '@testing-library/react';
import { Tag } from 'lucide-react';
import { createElement } from 'react';
import { http as mock, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { renderScreen } from '#/test/render';
import { definePlain } from './plain';
import { plainRecords } from './routes';

interface Row {
  readonly id: string;
  readonly name: string;
}

const labels = definePlain<Row, 'assets/labels/'>({
  icon: Tag,
  nameOf: (row) => row.name,
  columns: ['name', 'value'],
  fields: ['name', 'assets'],
  lists: {
    assets: {
      api: 'assets/assets/',
      option: (row) => ({ id: String(row['id']), label: String(row['hostname']) }),
    },
  },
});

definePlain<Row, 'assets/labels/'>({
  icon: Tag,
  nameOf: (row) => row.name,
  // @ts-expect-error -- no such column
  columns: ['citty'],
  // @ts-expect-error -- no such field
  fields: ['citty'],
});

const records = plainRecords({
  name: 'Label',
  path: 'assets/labels',
  noun: 'nav:titles.*',
  named: 'name',
  load: () => Promise.resolve(labels),
});
const server = setupServer(
  mock.options('*/api/v1/assets/labels/*', () => HttpResponse.json({ name: 'Label', actions: {} })),
  mock.get('*/api/v1/assets/labels/l1/', () =>
    HttpResponse.json({ id: 'l1', name: 'colour', assets: ['a1', 'a2'] }),
  ),
  mock.post('*/api/v1/common/resources/cache/', () => HttpResponse.json({ spm: 's' })),
  mock.get('*/api/v1/assets/assets/', () =>
    HttpResponse.json({
      count: 2,
      next: null,
      previous: null,
      results: [
        { id: 'a1', hostname: 'web-1' },
        { id: 'a2', hostname: 'web-2' },
      ],
    }),
  ),
);

beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

test('a plain resource has four screens at the usual addresses, found by name', () => {
  expect(records.map((record) => [record.name, record.path, record.title])).toEqual([
    ['LabelList', '/assets/labels', 'nav:titles.list'],
    ['LabelCreate', '/assets/labels/create', 'nav:titles.create'],
    ['LabelUpdate', '/assets/labels/$id/update', 'nav:titles.update'],
    ['LabelDetail', '/assets/labels/$id', 'nav:titles.detail'],
  ]);
  expect(records[0]?.find).toEqual({ api: 'assets/labels/', name: 'name', path: '/assets/labels/$id' });
});

test('the detail page names the objects of a list', async () => {
  const Detail = await records[3]?.load();
  if (!Detail) throw new Error('no detail screen');
  await renderScreen(createElement(Detail), { address: '/assets/labels/l1', pattern: '/assets/labels/$id' });
  expect(await screen.findByText('web-1')).toBeTruthy();
  expect(screen.getByText('web-2')).toBeTruthy();
  expect(screen.queryByText('a1')).toBeNull();
});
