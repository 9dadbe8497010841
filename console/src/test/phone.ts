import { vi } from 'vitest';

/** Makes the screens believe that they are on a phone. */
export function onPhone(): void {
  const listeners = { addEventListener: () => undefined, removeEventListener: () => undefined };
  vi.stubGlobal('matchMedia', (query: string) => ({
    matches: query === '(width < 640px)',
    media: query,
    ...listeners,
  }));
}
