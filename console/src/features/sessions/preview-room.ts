/** Media query for windows with room for a session beside the list. */
export const PREVIEW_WIDTH = '(width >= 1200px)';

export function hasRoomForPreview(): boolean {
  return window.matchMedia(PREVIEW_WIDTH).matches;
}
