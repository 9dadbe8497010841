/** Distances in px: between an anchor and its popup, and between the popup and the window's edge. */
const GAP_PX = 4;

/** Position of a floating element, in CSS pixels of the window. */
export interface Place {
  readonly top: number;
  readonly left: number;
  readonly maxHeight: number;
}

/**
 * Position below the anchor, aligned with one of its sides; above it when there is more room. Always inside of the
 * window.
 */
export function placeBeside(
  anchor: { getBoundingClientRect(): DOMRect },
  floating: HTMLElement,
  align: 'start' | 'end',
): Place {
  const box = anchor.getBoundingClientRect();
  const { offsetWidth: width, scrollHeight: height } = floating;
  const below = window.innerHeight - box.bottom - 2 * GAP_PX;
  const above = box.top - 2 * GAP_PX;
  const upwards = below < height && above > below;
  const maxHeight = upwards ? above : below;
  const wantedLeft = align === 'end' ? box.right - width : box.left;
  return {
    top: upwards ? box.top - GAP_PX - Math.min(height, maxHeight) : box.bottom + GAP_PX,
    left: Math.max(GAP_PX, Math.min(wantedLeft, window.innerWidth - width - GAP_PX)),
    maxHeight,
  };
}
