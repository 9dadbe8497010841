import { browserLocation } from '#/lib/browser-location';
import { mayAskUnbidden } from '#/lib/http/asking';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { http, onHttp } from '#/lib/http/client';
import { HttpError, NoAnswerError } from '#/lib/http/errors';
import { translate } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { currentSession } from '#/lib/session';
import { toast } from '#/ui/toast';
import { leaveForSignIn } from './guard/guard';

/** Delay without any answer after which the profile is requested, in ms (specification, section 9). */
export const KEEP_ALIVE_MS = 30_000;
const PROFILE = 'users/profile/';

let keepAlive: ReturnType<typeof setTimeout> | undefined;

/**
 * Requests the profile once, 30 s after the last answer (other than the profile's) of a signed-in session. This keeps
 * the session alive and detects a lost one.
 */
function answered(path: string): void {
  if (path === PROFILE || !currentSession()) return;
  clearTimeout(keepAlive);
  if (!mayAskUnbidden()) return;
  keepAlive = setTimeout(() => {
    http.get(PROFILE, { quiet: true }).catch((error: unknown) => {
      // The person may be typing: a question reports the lost session, and the page stays.
      if (error instanceof HttpError && error.status === 401) void askToSignIn();
    });
  }, KEEP_ALIVE_MS);
}

/**
 * The person was removed from the organization, or it was deleted. The console restarts in another organization when
 * the person confirms.
 */
async function askToSwitch(): Promise<void> {
  if (asking) return;
  asking = true;
  try {
    const { confirm } = await import('#/ui/confirm');
    const on = await confirm({
      title: translate('app:organization.lost_title', { name: currentSession()?.organization.name ?? '' }),
      effect: translate('app:organization.lost_effect'),
      confirmLabel: translate('app:organization.switch'),
    });
    if (on) browserLocation.assign('/ui/');
  } finally {
    asking = false;
  }
}

let asking = false;

/** A 401 in the middle of work opens a question instead of a banner. Typed text stays on the page. */
async function askToSignIn(): Promise<void> {
  if (asking) return;
  asking = true;
  try {
    const { confirm } = await import('#/ui/confirm');
    const again = await confirm({
      title: translate('app:signed_out.title'),
      effect: translate('app:signed_out.effect'),
      confirmLabel: translate('app:signed_out.again'),
    });
    if (again) leaveForSignIn();
  } finally {
    asking = false;
  }
}

/** The part of the router that reporting needs. */
export interface Navigator {
  navigate(target: { readonly to: string }): Promise<void>;
}

/** Connects the http client to the messages on screen: the error catalogue of the specification, section 8. */
export function reportHttp(router: Navigator): void {
  onHttp({
    answered,
    signedOut: () => {
      if (currentSession()) void askToSignIn();
    },
    organizationLost: () => {
      if (currentSession()) void askToSwitch();
    },
    failed: (error) => {
      // A request without any answer shows nothing here (specification, section 8): the offline bar and the screen
      // itself report it.
      if (error instanceof NoAnswerError) return;
      if (error instanceof HttpError && error.code === 'password_must_change') {
        void router.navigate({ to: paths.changePassword });
        return;
      }
      if (error instanceof HttpError && error.code === 'notice_unconfirmed') {
        void router.navigate({ to: paths.firstLogin });
        return;
      }
      const id = requestIdOf(error);
      toast({ tone: 'error', text: explain(error), ...(id ? { detail: `req ${id}` } : {}) });
    },
  });
}
