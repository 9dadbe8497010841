import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { describe, expect, test, vi } from 'vitest';
import { queryClient } from '#/lib/query';
import { recordedServer } from '#/test/recorded';
import { renderScreen } from '#/test/render';
import { NodeTree } from './NodeTree';

function node(key: string, label: string) {
  const parts = key.split(':');
  return {
    id: key,
    name: `${label} (1)`,
    title: label,
    pId: parts.slice(0, -1).join(':'),
    isParent: true,
    meta: { type: 'node', data: { id: `id-of-${label}`, key, value: label } },
  };
}

/** What the server answers for the children of each key. */
const children = new Map<string, readonly unknown[]>();
/** Answers of the children of this key wait until it is released. */
let held: { readonly key: string; readonly released: Promise<void> } | null = null;

recordedServer(() => [
  mock.get('*/api/v1/assets/nodes/children/tree/', async ({ request }) => {
    const key = new URL(request.url).searchParams.get('key') ?? '';
    const now = children.get(key) ?? [];
    if (held?.key === key) await held.released;
    return HttpResponse.json([...now]);
  }),
]);

function levelsOf(label: string): readonly (string | null)[] {
  return screen
    .queryAllByRole('treeitem')
    .filter((item) => item.textContent.startsWith(label))
    .map((item) => item.getAttribute('aria-level'));
}

describe('a node that was moved', () => {
  test('is shown once while the level that it left is still being loaded', async () => {
    // Wide: the tree is beside the list.
    vi.stubGlobal('matchMedia', () => ({
      matches: true,
      addEventListener: () => undefined,
      removeEventListener: () => undefined,
    }));
    children.set('', [node('1', 'Default')]);
    children.set('1', [node('1:0', 'east'), node('1:1', 'west')]);
    children.set('1:1', []);
    await renderScreen(
      <NodeTree
        title="Nodes"
        api="assets/nodes/children/tree/"
        query={{ assets: 0 }}
        selected={null}
        onSelect={() => undefined}
      />,
    );
    await waitFor(() => expect(levelsOf('east')).toEqual(['2']));
    screen.getByRole('tree').focus();
    await userEvent.keyboard('{End}{ArrowRight}');

    let release = (): void => undefined;
    children.set('1:1', [node('1:1:0', 'east')]);
    held = { key: '1', released: new Promise((resolve) => (release = resolve)) };
    act(() => void queryClient.invalidateQueries({ queryKey: ['tree'] }));
    await waitFor(() => expect(levelsOf('east')).toEqual(['3']));

    children.set('1', [node('1:1', 'west')]);
    held = null;
    release();
    await act(() => queryClient.invalidateQueries({ queryKey: ['tree'] }));
    await waitFor(() => expect(levelsOf('east')).toEqual(['3']));
    expect(levelsOf('west')).toEqual(['2']);
  });
});
