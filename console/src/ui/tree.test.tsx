import { fireEvent, render, screen } from '@testing-library/react';
import { expect, test } from 'vitest';
import { Tree, type TreeItem } from './tree';

const ITEMS: TreeItem[] = Array.from({ length: 5_000 }, (_, number) => ({
  id: `n${number}`,
  label: `Node ${number}`,
  parentId: null,
  isBranch: false,
}));

function shown(): string[] {
  return screen.getAllByRole('treeitem').map((row) => row.textContent);
}

function tree(items: readonly TreeItem[]) {
  const none = new Set<string>();
  return (
    <Tree
      label="Nodes"
      items={items}
      expanded={none}
      loading={none}
      selected={null}
      onExpand={() => undefined}
      onSelect={() => undefined}
    />
  );
}

test('of thousands of items those in view are drawn, and others when one scrolls or moves to them', () => {
  render(tree(ITEMS));
  expect(shown().length).toBeLessThan(60);
  expect(shown()[0]).toBe('Node 0');

  const box = screen.getByRole('tree');
  box.scrollTop = 28 * 1_000;
  fireEvent.scroll(box);
  expect(shown()).toContain('Node 1000');
  expect(shown()).not.toContain('Node 0');

  fireEvent.keyDown(box, { key: 'End' });
  fireEvent.scroll(box);
  expect(shown()).toContain('Node 4999');
  expect(document.getElementById(box.getAttribute('aria-activedescendant') ?? '')?.textContent).toBe(
    'Node 4999',
  );
});

test('a tree that became short shows its items, wherever it was scrolled to', () => {
  const { rerender } = render(tree(ITEMS));
  const box = screen.getByRole('tree');
  box.scrollTop = 28 * 4_000;
  fireEvent.scroll(box);
  rerender(tree(ITEMS.slice(0, 5)));
  expect(shown()).toHaveLength(5);
});
