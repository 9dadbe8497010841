/**
 * Marks a box that scrolls sideways: `data-cut-start` and `data-cut-end` say at which side content is hidden, so that
 * sticky columns have an edge only there. A ref callback; it writes attributes and never causes a render.
 */
export function markCutEdges(box: HTMLElement | null) {
  if (!box) return undefined;
  const mark = () => {
    const rest = box.scrollWidth - box.clientWidth - box.scrollLeft;
    box.toggleAttribute('data-cut-start', box.scrollLeft > 0);
    // Ignores fractions of a pixel, which cannot be scrolled.
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
