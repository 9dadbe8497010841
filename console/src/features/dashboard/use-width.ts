import { type RefCallback, useCallback, useState } from 'react';

/** The width of an element in pixels, followed while it changes; `usual` until it is measured. */
export function useWidth(usual: number): [RefCallback<Element>, number] {
  const [width, setWidth] = useState(usual);
  const follow = useCallback((element: Element | null) => {
    if (element === null || typeof ResizeObserver === 'undefined') return undefined;
    const observer = new ResizeObserver(([entry]) => {
      if (entry && entry.contentRect.width > 0) setWidth(entry.contentRect.width);
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  return [follow, width];
}
