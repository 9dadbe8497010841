import { create } from 'zustand';
import { readCookie, writeCookie, writeStored } from '#/lib/storage';

/** Below this width the sidebar is a drawer (specification, section 9). */
export const MOBILE_BELOW_PX = 992;
const KEY = 'sidebarStatus';
const DAYS = 365;

interface SidebarState {
  readonly isOpen: boolean;
  readonly isMobile: boolean;
}

function isNarrow(): boolean {
  return window.innerWidth < MOBILE_BELOW_PX;
}

function storedOpen(): boolean {
  return readCookie(KEY) !== '0';
}

export const useSidebar = create<SidebarState>(() => {
  const isMobile = isNarrow();
  return { isMobile, isOpen: !isMobile && storedOpen() };
});

export function setSidebarOpen(isOpen: boolean): void {
  useSidebar.setState({ isOpen });
  if (useSidebar.getState().isMobile) return;
  writeCookie(KEY, isOpen ? '1' : '0', DAYS);
  writeStored(KEY, isOpen ? '1' : '0');
}

/** On a phone every navigation closes the drawer. */
export function closeSidebarOnNavigation(): void {
  if (useSidebar.getState().isMobile) useSidebar.setState({ isOpen: false });
}

/** Watches the window's width. Returns a function that stops watching. */
export function followWidth(): () => void {
  const onResize = () => {
    const isMobile = isNarrow();
    if (isMobile !== useSidebar.getState().isMobile) {
      useSidebar.setState({ isMobile, isOpen: !isMobile && storedOpen() });
    }
  };
  window.addEventListener('resize', onResize);
  onResize(); // the window may have changed since the state was made
  return () => window.removeEventListener('resize', onResize);
}
