import { create } from 'zustand';
import { readStored, removeStored, writeStored } from './storage';

/** Must match public/before-paint.js, which applies the stored choice before the first paint. */
export type ThemeChoice = 'system' | 'light' | 'dark';

const KEY = 'theme';
const systemDark = (): MediaQueryList | null =>
  typeof matchMedia === 'function' ? matchMedia('(prefers-color-scheme: dark)') : null;

function storedChoice(): ThemeChoice {
  const stored = readStored(KEY);
  return stored === 'light' || stored === 'dark' ? stored : 'system';
}

/** The theme that a choice resolves to on this machine now. */
export function themeOf(choice: ThemeChoice): 'light' | 'dark' {
  if (choice !== 'system') return choice;
  return systemDark()?.matches ? 'dark' : 'light';
}

function apply(choice: ThemeChoice): void {
  document.documentElement.dataset.theme = themeOf(choice);
}

interface ThemeState {
  readonly choice: ThemeChoice;
  choose(choice: ThemeChoice): void;
}

export const useTheme = create<ThemeState>((set) => ({
  choice: storedChoice(),
  choose(choice) {
    if (choice === 'system') removeStored(KEY);
    else writeStored(KEY, choice);
    apply(choice);
    set({ choice });
  },
}));

/** Follows the system while the choice is "system". */
export function followSystemTheme(): void {
  systemDark()?.addEventListener('change', () => apply(useTheme.getState().choice));
}
