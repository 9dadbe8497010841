import { afterEach, expect, test } from 'vitest';
import { markCutEdges } from './cut-edges';

/** A box of 300 px with content of 500 px, scrolled to `left`; jsdom has no layout. */
function boxAt(left: number, content = 500): HTMLElement {
  const box = document.createElement('div');
  Object.defineProperties(box, {
    clientWidth: { value: 300 },
    scrollWidth: { value: content },
    scrollLeft: { value: left, writable: true },
  });
  document.body.append(box);
  return box;
}

afterEach(() => document.body.replaceChildren());

test.each([
  { left: 0, content: 500, edges: ['data-cut-end'] },
  { left: 80, content: 500, edges: ['data-cut-start', 'data-cut-end'] },
  { left: 200, content: 500, edges: ['data-cut-start'] },
  { left: 0, content: 300, edges: [] },
])('at $left of $content px the cut sides are $edges', ({ left, content, edges }) => {
  const box = boxAt(left, content);
  const stop = markCutEdges(box);
  box.dispatchEvent(new Event('scroll'));
  expect(box.getAttributeNames()).toEqual(edges);
  stop?.();
});

test('an unmounted box has no marks', () => {
  const box = boxAt(0);
  markCutEdges(box)?.();
  box.dispatchEvent(new Event('scroll'));
  expect(box.getAttributeNames()).toEqual([]);
});
