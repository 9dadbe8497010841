import { create } from 'zustand';

export const useAccessKeys = create<{ readonly isOpen: boolean }>(() => ({ isOpen: false }));

/** Opens the dialog of API keys over the current screen. */
export function openAccessKeys(): void {
  useAccessKeys.setState({ isOpen: true });
}

export function closeAccessKeys(): void {
  useAccessKeys.setState({ isOpen: false });
}
