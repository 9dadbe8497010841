import { afterEach, expect, test } from 'vitest';
import { followWidth, MOBILE_BELOW_PX, useSidebar } from './sidebar-state';

const usual = window.innerWidth;

afterEach(() => {
  window.innerWidth = usual;
  followWidth()();
});

test('a window that changed before the shell watched it has the right sidebar', () => {
  expect(useSidebar.getState().isMobile).toBe(usual < MOBILE_BELOW_PX);
  window.innerWidth = usual < MOBILE_BELOW_PX ? MOBILE_BELOW_PX : 320;
  followWidth()();
  expect(useSidebar.getState().isMobile).toBe(usual >= MOBILE_BELOW_PX);
});
