import { useEffect } from 'react';
import { create } from 'zustand';

export const usePalette = create<{ readonly isOpen: boolean }>(() => ({ isOpen: false }));

export function openPalette(): void {
  usePalette.setState({ isOpen: true });
}

export function closePalette(): void {
  usePalette.setState({ isOpen: false });
}

/** Ctrl-K (⌘K) opens and closes the palette, wherever the focus is. */
export function usePaletteShortcut(): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || event.altKey || event.shiftKey) return;
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      usePalette.setState(({ isOpen }) => ({ isOpen: !isOpen }));
    };
    window.addEventListener('keydown', onKeyDown);
    return () => window.removeEventListener('keydown', onKeyDown);
  }, []);
}

/** Name of the shortcut on this platform. */
export const SHORTCUT = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K';
