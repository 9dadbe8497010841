import { explain, requestIdOf } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { usePageTitle } from '#/ui/page-title';
import { FailedState } from '#/ui/states';

/** Shown instead of a screen (or of everything) that broke. */
export function ErrorPage({ error, reset }: { readonly error: unknown; readonly reset?: () => void }) {
  const t = useT();
  usePageTitle(t('app:crash.title'));
  return (
    <main className="grid min-h-[60vh] place-items-center">
      <FailedState
        heading="h1"
        title={t('app:crash.title')}
        message={explain(error)}
        requestId={requestIdOf(error)}
        onRetry={() => {
          reset?.();
          location.reload();
        }}
      />
    </main>
  );
}
