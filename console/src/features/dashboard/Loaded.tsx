import type { UseQueryResult } from '@tanstack/react-query';
import { RefreshCw } from 'lucide-react';
import type { ReactNode } from 'react';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { Button } from '#/ui/button';
import { SkeletonLines } from '#/ui/skeleton';

/** What was asked for, or its loading and failing. */
export function Loaded<Data>({
  query,
  lines = 6,
  children,
}: {
  readonly query: UseQueryResult<Data>;
  readonly lines?: number;
  readonly children: (data: Data) => ReactNode;
}) {
  const t = useT();
  if (query.data !== undefined) return <div aria-busy={query.isPlaceholderData}>{children(query.data)}</div>;
  if (query.isError) {
    const requestId = requestIdOf(query.error);
    // Small: up to nine of them are on the page when the server does not answer.
    return (
      <div className="grid justify-items-start gap-2 p-3">
        <p role="alert" className="text-ink-2">
          <span className="block font-semibold">{t('dashboard:failed')}</span>
          {explain(query.error)}
        </p>
        <Button size="sm" icon={RefreshCw} onClick={() => void query.refetch()}>
          {t('ui:retry')}
        </Button>
        {requestId && (
          <span className="font-mono text-meta text-ink-3 [overflow-wrap:anywhere]">req {requestId}</span>
        )}
      </div>
    );
  }
  return (
    <div aria-busy="true">
      <SkeletonLines lines={lines} />
    </div>
  );
}
