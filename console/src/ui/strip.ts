import { type RefObject, useEffect } from 'react';

/** Scrolls a strip sideways until the item is visible. `scrollIntoView` would also scroll the page to the strip. */
export function showInStrip(strip: HTMLElement, item: Element | null): void {
  if (item === null) return;
  const visible = strip.getBoundingClientRect();
  const place = item.getBoundingClientRect();
  if (place.left < visible.left) strip.scrollLeft -= visible.left - place.left;
  else if (place.right > visible.right) strip.scrollLeft += place.right - visible.right;
}

/**
 * Keeps the item that matches `selector` visible: after each change of `current`, and whenever the strip's width changes.
 */
export function useShownInStrip(
  strip: RefObject<HTMLElement | null>,
  selector: string,
  current: unknown,
): void {
  useEffect(() => {
    const list = strip.current;
    if (!list) return undefined;
    const show = (): void => showInStrip(list, list.querySelector(selector));
    show();
    const observer = new ResizeObserver(show);
    observer.observe(list);
    return () => observer.disconnect();
  }, [strip, selector, current]);
}
