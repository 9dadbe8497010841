import { redirect } from '@tanstack/react-router';
import { paths, serverPaths } from '#/lib/paths';
import { currentSession } from '#/lib/session';
import { runGuard } from './machine';
import { browserPorts } from './ports';

let running: Promise<void> | null = null;

/** Leaves the console for the sign-in page and comes back to where the person was. */
export function leaveForSignIn(delayMs: number): Promise<never> {
  const next = location.pathname + location.search;
  setTimeout(() => location.assign(`${serverPaths.login}?next=${encodeURIComponent(next)}`), delayMs);
  // The page is going away: nothing after this may run.
  return new Promise<never>(() => {});
}

async function runOnce(path: string): Promise<void> {
  const exit = await runGuard(browserPorts);
  switch (exit.at) {
    case 'ready':
      return;
    case 'must-complete-profile':
      if (path !== paths.firstLogin) throw redirect({ to: paths.firstLogin });
      return;
    case 'must-change-password':
      throw redirect({ to: paths.changePassword });
    case 'sign-in':
      await leaveForSignIn(exit.delayMs);
      return;
    default:
      throw exit.error;
  }
}

/** Runs the guard before the first guarded screen; later navigations find the session in place. */
export async function guard(path: string): Promise<void> {
  if (currentSession()) return;
  running ??= runOnce(path).finally(() => {
    running = null;
  });
  await running;
}
