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

/** Silence after which the profile is asked for (specification, section 9). */
export const KEEP_ALIVE_MS = 30_000;
const PROFILE = 'users/profile/';

let keepAlive: ReturnType<typeof setTimeout> | undefined;

/** 30 s after the last answer that was not the profile and told of a sign-in: ask for the profile once, to keep the session and notice a lost one. */
function answered(path: string): void {
  if (path === PROFILE || !currentSession()) return;
  clearTimeout(keepAlive);
  if (!mayAskUnbidden()) return;
  keepAlive = setTimeout(() => {
    http.get(PROFILE, { quiet: true }).catch((error: unknown) => {
      // Somebody may be typing: a lost session is told, the page is not taken away.
      if (error instanceof HttpError && error.status === 401) void askToSignIn();
    });
  }, KEEP_ALIVE_MS);
}

/** The person was taken out of the organization, or it is gone: the console starts anew in another one, when they are ready. */
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

/** 401 in the middle of work: no banner, a question; what was typed stays on the page. */
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

/** The one thing that reporting asks of the router. */
export interface Navigator {
  navigate(target: { readonly to: string }): Promise<void>;
}

/** Connects the http client to what the person sees: the error catalogue of the specification, section 8. */
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
      // No answer at all is passed on silently (specification, section 8): the offline bar and the screen itself tell it.
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
