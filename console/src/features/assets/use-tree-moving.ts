import { useEffect, useState } from 'react';
import { useIsRootOrganization } from '#/lib/session';
import { useMoving } from './moving';

type Moving = typeof import('./tree-moving');

/**
 * Dragging and moving in the tree; null in the root organization, whose trees are only shown. The code is loaded after the
 * page.
 */
export function useTreeMoving(): Moving | null {
  const isRoot = useIsRootOrganization();
  const [loaded, setLoaded] = useState<Moving | null>(null);
  // The tree shows which node was cut.
  useMoving((state) => state.cut);
  useEffect(() => {
    if (isRoot) return;
    let isHere = true;
    // Without it the tree still works, except for moving.
    void import('./tree-moving').then(
      (module) => isHere && setLoaded(module),
      () => undefined,
    );
    return () => {
      isHere = false;
    };
  }, [isRoot]);
  return isRoot ? null : loaded;
}
