import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { useT } from '#/lib/i18n';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState } from '#/ui/states';

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
    return (
      <FailedState
        title={t('dashboard:failed')}
        message={explain(query.error)}
        requestId={requestIdOf(query.error)}
        onRetry={() => void query.refetch()}
      />
    );
  }
  return (
    <div aria-busy="true">
      <SkeletonLines lines={lines} />
    </div>
  );
}
