/**
 * Marks a box that scrolls sideways: `data-cut-start` and `data-cut-end` say at which side its content goes on, so that
 * sticky columns get an edge only there. A ref callback; writes attributes, never renders.
 */
export function markCutEdges(box: HTMLElement | null) {
  if (!box) return undefined;
  const mark = () => {
    const rest = box.scrollWidth - box.clientWidth - box.scrollLeft;
    box.toggleAttribute('data-cut-start', box.scrollLeft > 0);
    // Fractions of a pixel are not something to scroll to.
    box.toggleAttribute('data-cut-end', rest >= 1);
  };
  const sizes = typeof ResizeObserver === 'undefined' ? undefined : new ResizeObserver(mark);
  sizes?.observe(box);
  for (const child of box.children) sizes?.observe(child);
  box.addEventListener('scroll', mark, { passive: true });
  return () => {
    sizes?.disconnect();
    box.removeEventListener('scroll', mark);
  };
}
