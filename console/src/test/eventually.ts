import { vi } from 'vitest';

/** How long tests wait for a condition. Generous for loaded machines: on an idle one, conditions are met at once. */
export const PATIENCE_MS = 60_000;

/**
 * Waits with faked timers until the check passes; 50 ms of faked time pass before each try. With real timers use
 * `waitFor` of Testing Library.
 */
export function eventually(check: () => void): Promise<void> {
  // oxlint-disable-next-line no-restricted-properties -- the one place that sets its deadline
  return vi.waitFor(check, { timeout: PATIENCE_MS });
}
