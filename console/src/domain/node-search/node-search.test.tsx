import { fireEvent, screen } from '@testing-library/react';
import { http as mock, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { renderScreen } from '#/test/render';
import { NodeSearch } from './NodeSearch';

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledRequest: 'error' }));
afterEach(() => server.resetHandlers());
afterAll(() => server.close());

const api = '*/api/v1/assets/nodes/';

async function search(term: string, onSelect = vi.fn()) {
  await renderScreen(
    <NodeSearch api="assets/nodes/" onSelect={onSelect}>
      the tree
    </NodeSearch>,
  );
  expect(await screen.findByText('the tree')).toBeTruthy();
  fireEvent.change(screen.getByRole('searchbox', { name: 'Find a node' }), { target: { value: term } });
  return onSelect;
}

test('results replace the tree, and a result can be chosen', async () => {
  const asked: string[] = [];
  server.use(
    mock.get(api, ({ request }) => {
      asked.push(new URL(request.url).search);
      return HttpResponse.json({
        count: 1,
        results: [{ id: 'n1', key: '1:2', value: 'web', full_value: '/Default/web' }],
      });
    }),
  );
  const onSelect = await search(' we ');
  fireEvent.click(await screen.findByRole('button', { name: /web/ }));
  expect(asked).toEqual(['?search=we&offset=0&limit=30']);
  expect(onSelect).toHaveBeenCalledWith({ id: 'n1', key: '1:2', label: 'web', type: 'node' });
  expect(screen.getByText('the tree')).toBeTruthy();
});

test('a search without results says so', async () => {
  server.use(mock.get(api, () => HttpResponse.json({ count: 0, results: [] })));
  await search('nowhere');
  expect(await screen.findByText('No node with this name')).toBeTruthy();
});

test('[S8-038] a failed search says that the node is unavailable', async () => {
  server.use(mock.get(api, () => HttpResponse.json({ error: 'no' }, { status: 500 })));
  await search('web');
  expect(await screen.findByText('Node is unavailable, please contact administrator')).toBeTruthy();
});
