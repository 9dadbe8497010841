import { LogIn } from 'lucide-react';
import { lazy, Suspense } from 'react';
import { browserLocation } from '#/lib/browser-location';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { HttpError } from '#/lib/http/errors';
import { loadNamespaces, useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { usePageTitle } from '#/ui/page-title';
import { FailedState, StateView } from '#/ui/states';
import { GuardError, LeavingError, leaveForSignIn } from '../guard/guard';
import { Splash } from './Splash';
import { WaysOut } from './WaysOut';

// Loaded on demand: only people without an organization need it here.
const Invitations = lazy(async () => {
  const [part] = await Promise.all([import('#/features/profile/Invitations'), loadNamespaces(['profile'])]);
  return { default: part.Invitations };
});

/** The server lets this person work in no organization. */
function hasNoOrganization(error: unknown): boolean {
  return error instanceof GuardError && error.during === 'organization' && isRefusal(error.cause);
}

function isRefusal(error: unknown): boolean {
  return error instanceof HttpError && (error.status === 403 || error.status === 404);
}

/** Shown instead of a screen (or of the whole page) that failed. */
export function ErrorPage({ error, reset }: { readonly error: unknown; readonly reset?: () => void }) {
  if (error instanceof LeavingError) return <Splash />;
  return hasNoOrganization(error) ? <Homeless /> : <Broken error={error} reset={reset} />;
}

/** People without an organization can accept an invitation, or read how to ask for one. */
function Homeless() {
  const t = useT();
  usePageTitle(t('app:organization.none_title'));
  return (
    <main className="mx-auto grid min-h-[60vh] max-w-[640px] content-center gap-3 px-4">
      <StateView drawing="forbidden" heading="h1" title={t('app:organization.none_title')}>
        {t('app:organization.none_why')}
      </StateView>
      <Suspense>
        <Invitations onJoined={() => browserLocation.reload()} />
      </Suspense>
      <WaysOut />
    </main>
  );
}

function Broken({ error, reset }: { readonly error: unknown; readonly reset: (() => void) | undefined }) {
  const t = useT();
  const during = error instanceof GuardError ? error.during : null;
  const cause = error instanceof GuardError ? error.cause : error;
  const title = t(during === 'profile' ? 'app:error.verification' : 'app:crash.title');
  usePageTitle(title);
  return (
    <main className="grid min-h-[60vh] place-items-center content-center">
      <FailedState
        heading="h1"
        title={title}
        message={during === 'routes' ? t('app:error.routes') : explain(cause)}
        requestId={requestIdOf(cause)}
        onRetry={() => {
          reset?.();
          browserLocation.reload();
        }}
      />
      {during === 'profile' && (
        <Button icon={LogIn} onClick={() => leaveForSignIn()}>
          {t('app:signed_out.again')}
        </Button>
      )}
      <WaysOut />
    </main>
  );
}
