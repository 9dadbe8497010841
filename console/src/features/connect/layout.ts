/**
 * How the panes of one tab share its area: a binary tree of splits. Panes are drawn from a flat list of rectangles and
 * never move in the document, because remounting a terminal would open a new session.
 */

export type Direction = 'columns' | 'rows';

export type Layout =
  | { readonly kind: 'pane'; readonly id: string }
  | {
      readonly kind: 'split';
      readonly id: string;
      readonly direction: Direction;
      /** Share of the first side of the split, 0–1. */
      readonly ratio: number;
      readonly first: Layout;
      readonly second: Layout;
    };

/** Fractions of the area, each 0–1. */
export interface Rect {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export interface Divider {
  readonly split: string;
  readonly direction: Direction;
  readonly ratio: number;
  /** The area that the split divides. */
  readonly area: Rect;
}

const SMALLEST_SHARE = 0.12;
const WHOLE: Rect = { left: 0, top: 0, width: 1, height: 1 };

export function panesOf(layout: Layout): string[] {
  return layout.kind === 'pane' ? [layout.id] : [...panesOf(layout.first), ...panesOf(layout.second)];
}

/** Puts `added` beside (columns) or below (rows) pane `at`. */
export function splitPane(layout: Layout, at: string, direction: Direction, added: string): Layout {
  if (layout.kind === 'pane') {
    if (layout.id !== at) return layout;
    const second: Layout = { kind: 'pane', id: added };
    return { kind: 'split', id: `${at}|${added}`, direction, ratio: 0.5, first: layout, second };
  }
  return {
    ...layout,
    first: splitPane(layout.first, at, direction, added),
    second: splitPane(layout.second, at, direction, added),
  };
}

/** Removes pane `id`; its neighbour takes the space. Null when no pane is left. */
export function removePane(layout: Layout, id: string): Layout | null {
  if (layout.kind === 'pane') return layout.id === id ? null : layout;
  const first = removePane(layout.first, id);
  const second = removePane(layout.second, id);
  if (first === null) return second;
  if (second === null) return first;
  return { ...layout, first, second };
}

export function setRatio(layout: Layout, split: string, ratio: number): Layout {
  if (layout.kind === 'pane') return layout;
  return {
    ...layout,
    ratio: layout.id === split ? Math.min(1 - SMALLEST_SHARE, Math.max(SMALLEST_SHARE, ratio)) : layout.ratio,
    first: setRatio(layout.first, split, ratio),
    second: setRatio(layout.second, split, ratio),
  };
}

function parts(area: Rect, direction: Direction, ratio: number): [Rect, Rect] {
  if (direction === 'columns') {
    const width = area.width * ratio;
    return [
      { ...area, width },
      { ...area, left: area.left + width, width: area.width - width },
    ];
  }
  const height = area.height * ratio;
  return [
    { ...area, height },
    { ...area, top: area.top + height, height: area.height - height },
  ];
}

/** Rectangle of each pane. */
export function rectsOf(layout: Layout, area: Rect = WHOLE): ReadonlyMap<string, Rect> {
  if (layout.kind === 'pane') return new Map([[layout.id, area]]);
  const [first, second] = parts(area, layout.direction, layout.ratio);
  return new Map([...rectsOf(layout.first, first), ...rectsOf(layout.second, second)]);
}

export function dividersOf(layout: Layout, area: Rect = WHOLE): Divider[] {
  if (layout.kind === 'pane') return [];
  const { id: split, direction, ratio } = layout;
  const [first, second] = parts(area, direction, ratio);
  return [
    { split, direction, ratio, area },
    ...dividersOf(layout.first, first),
    ...dividersOf(layout.second, second),
  ];
}
