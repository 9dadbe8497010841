import { useNavigate, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useMedia } from '#/ui/use-media';

/** Media query for windows with room for the tree and the summary side by side. */
export const ROOMY = '(width >= 1440px)';
/** Media query for windows with one column: the button of the tree is above the heading. */
const NARROW = '(width < 1200px)';

/** Where the tree of a list of permissions is: beside the list, or among its tools. */
export function useTreePlace(): (tree: ReactNode) => {
  readonly side?: ReactNode;
  readonly tools?: ReactNode;
} {
  const isRoomy = useMedia(ROOMY);
  const isNarrow = useMedia(NARROW);
  return (tree) => (isRoomy || isNarrow ? { side: tree } : { tools: tree });
}

/** What is chosen in the tree, which stands in the address, and a function that chooses something else. */
export function useChosenPlace<Place extends object>(): [Place, (next: Place) => void] {
  const navigate = useNavigate();
  const chosen: Place = useSearch({ strict: false });
  const choose = (next: Place) =>
    void navigate({
      to: '.',
      search: (old: Record<string, unknown>) => ({ ...old, ...next, page: undefined }),
      replace: true,
    });
  return [chosen, choose];
}
