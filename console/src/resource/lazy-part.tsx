import { type ComponentType, lazy, Suspense } from 'react';
import { SkeletonLines } from '#/ui/skeleton';

/**
 * A component of a definition that only form or detail screens show. It is loaded when it is rendered, so that the list
 * stays small: `lazyPart(async () => (await import('./Card')).Card)`
 */
export function lazyPart<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Props> {
  const Part = lazy(async () => ({ default: await load() }));
  return function LazyPart(props: Props) {
    return (
      <Suspense fallback={<SkeletonLines lines={3} />}>
        <Part {...props} />
      </Suspense>
    );
  };
}
