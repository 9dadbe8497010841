import { LogIn } from 'lucide-react';
import { browserLocation } from '#/lib/browser-location';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { usePageTitle } from '#/ui/page-title';
import { FailedState } from '#/ui/states';
import { GuardError, LeavingError, leaveForSignIn } from '../guard/guard';
import { Splash } from './Splash';

/** Shown instead of a screen (or of everything) that broke. */
export function ErrorPage({ error, reset }: { readonly error: unknown; readonly reset?: () => void }) {
  return error instanceof LeavingError ? <Splash /> : <Broken error={error} reset={reset} />;
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
    </main>
  );
}
