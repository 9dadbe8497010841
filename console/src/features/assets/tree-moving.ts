import type { DragEvent, KeyboardEvent } from 'react';
import { translate } from '#/lib/i18n';
import { queryClient } from '#/lib/query';
import { type LoadedTree, splitCount, type TreeNode } from '#/domain/node-tree/NodeTree';
import type { RowDragHandler } from '#/ui/row-drag';
import type { TreeMoving } from '#/ui/tree';
import { askPlacement } from './placement';
import { moveNode, whyNotThere } from './move-node';
import { cutNode, type MovedNode, useMoving } from './moving';

/** A collapsed node opens when something is held over it for this time. */
const OPEN_AFTER_MS = 700;
const DROP = 'data-drop';

type Dragged =
  | { readonly kind: 'node'; readonly node: MovedNode }
  | { readonly kind: 'assets'; readonly ids: readonly string[]; readonly clear: () => void };

/** What is being dragged. The browser hides the data of a drag until it is dropped. */
let dragged: Dragged | null = null;
let marked: Element | null = null;
let opening: { readonly id: string; readonly timer: ReturnType<typeof setTimeout> } | null = null;

function toMoved(node: TreeNode): MovedNode {
  return {
    id: node.meta.data.id,
    key: node.meta.data.key ?? node.id,
    label: splitCount(node.name).label,
  };
}

function rowAt(event: DragEvent): HTMLElement | null {
  return event.target instanceof Element ? event.target.closest<HTMLElement>('[data-item]') : null;
}

function mark(row: Element | null): void {
  if (marked === row) return;
  marked?.removeAttribute(DROP);
  row?.setAttribute(DROP, '');
  marked = row;
}

function stopOpening(): void {
  if (opening) clearTimeout(opening.timer);
  opening = null;
}

function end(): void {
  mark(null);
  stopOpening();
  dragged = null;
}

/** Opens the node below the pointer after a while. */
function openLater(id: string, tree: LoadedTree): void {
  if (opening?.id === id) return;
  stopOpening();
  if (tree.expanded.has(id)) return;
  opening = { id, timer: setTimeout(() => tree.expand(id, true), OPEN_AFTER_MS) };
}

function canDrop(target: TreeNode): boolean {
  if (!dragged || target.meta.type !== 'node') return false;
  return dragged.kind === 'assets' || whyNotThere(dragged.node, toMoved(target)) === undefined;
}

async function moveInto(node: MovedNode, target: TreeNode, tree: LoadedTree): Promise<void> {
  if (await moveNode(node, toMoved(target))) tree.expand(target.id, true);
}

function drop(what: Dragged, target: TreeNode, tree: LoadedTree): void {
  if (what.kind === 'node') {
    void moveInto(what.node, target, tree);
    return;
  }
  askPlacement({
    way: 'replace',
    node: toMoved(target),
    assets: what.ids,
    done: () => {
      what.clear();
      void queryClient.invalidateQueries({ queryKey: ['list'] });
    },
  });
}

/** Ctrl+X cuts the node, Ctrl+V moves the cut node here, Escape forgets it. */
function onKey(event: KeyboardEvent, node: TreeNode, tree: LoadedTree): boolean {
  const { cut } = useMoving.getState();
  if (event.key === 'Escape' && cut) {
    cutNode(null);
    return true;
  }
  const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
  if (!isCommand) return false;
  if (event.key === 'x' && node.pId !== '') {
    cutNode(toMoved(node));
    return true;
  }
  if (event.key === 'v' && cut) {
    void moveInto(cut, node, tree).then(() => cutNode(null));
    return true;
  }
  return false;
}

/** Moving of the nodes of this tree, and of assets onto them. */
export function treeMoving(tree: LoadedTree): TreeMoving {
  const nodeAt = (id: string | undefined) => (id === undefined ? undefined : tree.nodes.get(id));
  const { cut } = useMoving.getState();
  return {
    isMovable: (id) => nodeAt(id)?.pId !== '' && nodeAt(id)?.meta.type === 'node',
    cut: cut?.key ?? null,
    onKey: (event, id) => {
      const node = nodeAt(id);
      return node !== undefined && onKey(event, node, tree);
    },
    handlers: {
      onDragStart: (event) => {
        const node = nodeAt(rowAt(event)?.dataset['item']);
        if (!node) return;
        dragged = { kind: 'node', node: toMoved(node) };
        event.dataTransfer.effectAllowed = 'move';
        event.dataTransfer.setData('text/plain', dragged.node.label);
      },
      onDragOver: (event) => {
        const row = rowAt(event);
        const target = nodeAt(row?.dataset['item']);
        if (!dragged || !target) return;
        openLater(target.id, tree);
        if (!canDrop(target)) {
          mark(null);
          return;
        }
        event.preventDefault();
        event.dataTransfer.dropEffect = 'move';
        mark(row);
      },
      onDragLeave: (event) => {
        if (!(event.relatedTarget instanceof Node) || !event.currentTarget.contains(event.relatedTarget)) {
          mark(null);
          stopOpening();
        }
      },
      onDragEnd: end,
      onDrop: (event) => {
        const target = nodeAt(rowAt(event)?.dataset['item']);
        const what = dragged;
        end();
        if (!what || !target) return;
        event.preventDefault();
        drop(what, target, tree);
      },
    },
  };
}

/** Rows of the list are dragged as assets, with a small picture that says how many. */
export const dragAssets: RowDragHandler = (event, ids, clear) => {
  dragged = { kind: 'assets', ids, clear };
  event.dataTransfer.effectAllowed = 'move';
  event.dataTransfer.setData('text/plain', ids.join('\n'));
  const picture = document.createElement('div');
  picture.className = 'pt-chip fixed';
  picture.style.left = '-24rem';
  picture.textContent = translate('assets:move.dragged', { count: ids.length });
  document.body.append(picture);
  event.dataTransfer.setDragImage(picture, 12, 12);
  setTimeout(() => picture.remove());
  event.currentTarget.addEventListener('dragend', end, { once: true });
};
