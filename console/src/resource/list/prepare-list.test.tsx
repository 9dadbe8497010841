import { screen, waitFor } from '@testing-library/react';
import { http as mock, HttpResponse } from 'msw';
import { type ReactElement, useState } from 'react';
import { expect, test } from 'vitest';
import { queryClient } from '#/lib/query';
import { list, LIST, sent, server, serveThings } from '#/test/list-rig';
import { renderScreen } from '#/test/render';
import { prepareList } from './prepare-list';
import { ResourceList } from './ResourceList';
import type { ResourceListProps } from './use-list-view';

serveThings();

const ADDRESS = '/?page=2&order=-name&state=on&date_start=2026-01-01T00:00:01Z&date_end=2026-01-31T23:59:59Z';
const address = Object.fromEntries(new URLSearchParams(ADDRESS.slice(2)));
const place = { node_id: 'n1' };
const drawn = list({ dateRangeDays: 7 }) as ReactElement<ResourceListProps<{ id: string }>>;
const { resource } = drawn.props;

/** The list as the router opens it: prefetched first, then rendered. */
function Opened() {
  useState(() => void prepareList(resource, address, place));
  return <ResourceList resource={resource} query={place} />;
}

test('the list repeats no request that was prefetched', async () => {
  await renderScreen(<Opened />, { address: ADDRESS });
  await screen.findByRole('link', { name: 'thing 16' });
  await waitFor(() => expect(queryClient.isFetching()).toBe(0));
  expect(sent('OPTIONS')).toHaveLength(1);
  expect(sent('GET').map((request) => request.query)).toEqual([
    expect.objectContaining({
      offset: '15',
      limit: '15',
      order: '-name',
      state: 'on',
      node_id: 'n1',
      date_from: '2026-01-01T00:00:01.000Z',
    }),
  ]);
});

test('the list reports failed prefetches', async () => {
  server.use(mock.get(LIST, () => HttpResponse.json({ detail: 'broken' }, { status: 500 })));
  await renderScreen(<Opened />, { address: ADDRESS });
  expect(await screen.findByRole('button', { name: 'Retry' })).toBeTruthy();
});
