import { explain, requestIdOf } from '#/lib/http/catalogue';
import { http, onHttp } from '#/lib/http/client';
import { HttpError, NoAnswerError } from '#/lib/http/errors';
import { translate } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { currentSession } from '#/lib/session';
import { toast } from '#/ui/toast';
import { leaveForSignIn } from './guard/guard';
import type { AppRouter } from './router';

const KEEP_ALIVE_MS = 30_000;
const PROFILE = 'users/profile/';

let keepAlive: ReturnType<typeof setTimeout> | undefined;

/** 30 s after the last answer that was not the profile: ask for the profile once, to keep the session and notice a lost one. */
function answered(path: string): void {
  if (path === PROFILE || !currentSession()) return;
  clearTimeout(keepAlive);
  keepAlive = setTimeout(() => {
    http.get(PROFILE, { quiet: true }).catch((error: unknown) => {
      if (error instanceof HttpError && error.status === 401) void askToSignIn();
    });
  }, KEEP_ALIVE_MS);
}

let asking = false;

/** 401 in the middle of work: no banner, a question; what was typed stays on the page. */
async function askToSignIn(): Promise<void> {
  if (asking) return;
  asking = true;
  const { confirm } = await import('#/ui/confirm');
  const again = await confirm({
    title: translate('app:signed_out.title'),
    effect: translate('app:signed_out.effect'),
    confirmLabel: translate('app:signed_out.again'),
  });
  asking = false;
  if (again) await leaveForSignIn(0);
}

/** Connects the http client to what the person sees: the error catalogue of the specification, section 8. */
export function reportHttp(router: AppRouter): void {
  onHttp({
    answered,
    signedOut: () => {
      if (currentSession()) void askToSignIn();
    },
    failed: (error) => {
      // No answer at all is passed on silently (specification, section 8): the offline bar and the screen itself tell it.
      if (error instanceof NoAnswerError) return;
      if (error instanceof HttpError && error.code === 'password_must_change') {
        void router.navigate({ to: paths.changePassword });
        return;
      }
      const id = requestIdOf(error);
      toast({ tone: 'error', text: explain(error), ...(id ? { detail: `req ${id}` } : {}) });
    },
  });
}
