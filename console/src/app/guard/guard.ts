import { redirect } from '@tanstack/react-router';
import { browserLocation } from '#/lib/browser-location';
import { translate } from '#/lib/i18n';
import { paths, serverPaths } from '#/lib/paths';
import { currentSession } from '#/lib/session';
import { toast } from '#/ui/toast';
import { askAhead } from './ahead';
import { type FailedStep, type GuardExit, type GuardPorts, runGuard } from './machine';
import { browserPorts } from './ports';

let running: Promise<void> | null = null;
let ahead: GuardPorts | null = null;

/** The first navigation failed during `step`. The error page shows the step. */
export class GuardError extends Error {
  readonly during: FailedStep;

  constructor(during: FailedStep, cause: unknown) {
    super(`the guard failed: ${during}`, { cause });
    this.name = 'GuardError';
    this.during = during;
  }
}

/** The browser is leaving for the sign-in page. Until it has left, the splash is shown instead of an error. */
export class LeavingError extends Error {}

/** Leaves the console for the sign-in page, which leads back to the current address. */
export function leaveForSignIn(delayMs = 0): void {
  const next = location.pathname + location.search;
  setTimeout(() => browserLocation.assign(`${serverPaths.login}?next=${encodeURIComponent(next)}`), delayMs);
}

/** Converts an exit of the machine into what the router understands: nothing, a redirect or an error. */
export function obey(exit: GuardExit, path: string): void {
  switch (exit.at) {
    case 'ready':
      return;
    case 'must-complete-profile':
      if (path !== paths.firstLogin) throw redirect({ to: paths.firstLogin });
      return;
    case 'must-change-password':
      throw redirect({ to: paths.changePassword });
    case 'sign-in':
      leaveForSignIn(exit.delayMs);
      throw new LeavingError(exit.error.message, { cause: exit.error });
    default:
      if (exit.during === 'routes') toast({ tone: 'error', text: translate('app:error.routes') });
      throw new GuardError(exit.during, exit.error);
  }
}

/**
 * Sends the guard's requests while the page is still loading, because the first navigation goes to a guarded screen.
 */
export function askForGuard(): void {
  ahead = askAhead(browserPorts);
}

/** Runs the guard before the first guarded screen. Later navigations use the session that it established. */
export async function guard(path: string): Promise<void> {
  if (currentSession()) return;
  const ports = ahead ?? browserPorts;
  ahead = null;
  running ??= runGuard(ports)
    .then((exit) => obey(exit, path))
    .finally(() => {
      running = null;
    });
  await running;
}
