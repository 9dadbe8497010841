import { useEffect, useRef, useState } from 'react';

/** Rows drawn beyond each edge, so that a quick scroll does not show an empty place. */
const BEYOND = 12;
/** Height taken until the element has been measured, in pixels. */
const SUPPOSED_PX = 600;

/**
 * The part of `count` rows of one height that the scrolling element `box` shows: `first` up to, but without, `end`.
 * Call `onScroll` when the element scrolls. A library for rows of any height would weigh 7 KB in every screen with a tree.
 */
export function useRowsInView(count: number, rowPx: number) {
  const box = useRef<HTMLDivElement>(null);
  const [topRow, setTopRow] = useState(0);
  const [heightPx, setHeightPx] = useState(SUPPOSED_PX);
  useEffect(() => {
    const element = box.current;
    if (!element) return;
    const observer = new ResizeObserver(() => setHeightPx(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);
  // Fewer rows than before: the browser scrolls back, and tells so only afterwards.
  const top = Math.min(topRow, Math.max(0, count - 1));
  return {
    box,
    first: Math.max(0, top - BEYOND),
    end: Math.min(count, top + Math.ceil(heightPx / rowPx) + BEYOND),
    onScroll: () => setTopRow(Math.floor((box.current?.scrollTop ?? 0) / rowPx)),
    /** Scroll just as far as the row needs to be seen. */
    show: (row: number) => {
      const element = box.current;
      if (!element) return;
      const start = row * rowPx;
      const paddingPx = element.scrollHeight - count * rowPx;
      const end = start + rowPx + Math.max(0, paddingPx);
      if (start < element.scrollTop) element.scrollTop = start;
      else if (end > element.scrollTop + element.clientHeight) element.scrollTop = end - element.clientHeight;
    },
  };
}
