import { type ComponentType, lazy, Suspense } from 'react';
import { SkeletonLines } from '#/ui/skeleton';

/**
 * A part of a definition that only form or detail screens show: loaded when it is drawn, so that the list stays light.
 * `lazyPart(async () => (await import('./Card')).Card)`
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
