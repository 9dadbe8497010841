/** A list with a session beside it needs so much room. */
export const PREVIEW_WIDTH = '(width >= 1200px)';

export function hasRoomForPreview(): boolean {
  return window.matchMedia(PREVIEW_WIDTH).matches;
}
