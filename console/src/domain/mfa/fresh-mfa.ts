import { HttpError } from '#/lib/http/errors';
import type { Verification } from '#/resource/define';

/** For lists whose rows hold secrets: they are exported only after a recent code. The server enforces this as well. */
export const freshMfa: Verification = {
  ask: async () => (await import('./index')).requireMfa(),
  isMissing: (error) => error instanceof HttpError && error.code === 'mfa_verify_required',
};
