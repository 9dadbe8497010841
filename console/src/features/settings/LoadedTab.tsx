import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { explain, requestIdOf } from '#/lib/http/catalogue';
import { SkeletonLines } from '#/ui/skeleton';
import { FailedState } from '#/ui/states';

/** The cards of a tab, once its data is loaded. Until then: lines, or the failure with another try. */
export function LoadedTab<Data>({
  query,
  failed,
  children,
}: {
  readonly query: UseQueryResult<Data>;
  /** What failed. */
  readonly failed: string;
  readonly children: (data: Data) => ReactNode;
}) {
  if (query.error) {
    return (
      <FailedState
        title={failed}
        message={explain(query.error)}
        requestId={requestIdOf(query.error)}
        onRetry={() => void query.refetch()}
      />
    );
  }
  if (query.data === undefined) {
    return (
      <div className="pt-card" aria-busy="true">
        <SkeletonLines lines={8} />
      </div>
    );
  }
  return <div className="grid max-w-[960px] gap-3">{children(query.data)}</div>;
}
