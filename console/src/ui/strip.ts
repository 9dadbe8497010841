/** Scrolls a strip sideways until the item is visible. `scrollIntoView` would also scroll the page to the strip. */
export function showInStrip(strip: HTMLElement, item: Element | null): void {
  if (item === null) return;
  const visible = strip.getBoundingClientRect();
  const place = item.getBoundingClientRect();
  if (place.left < visible.left) strip.scrollLeft -= visible.left - place.left;
  else if (place.right > visible.right) strip.scrollLeft += place.right - visible.right;
}
