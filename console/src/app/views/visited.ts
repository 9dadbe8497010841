import { create } from 'zustand';
import { readTabJson, writeTabJson } from '#/lib/storage';

/** An open screen: its address and title. It holds no content, and no address of a workspace that carries a token. */
export interface View {
  /** Path below `/ui`; there is one view for each path. */
  readonly path: string;
  /** Path with its query, as the person left it. */
  readonly address: string;
  readonly title: string;
  /** An affixed view: closing others or all leaves it open. */
  readonly affix: boolean;
}

/** Maximum number of views; beyond it the oldest view that is not affixed is dropped. */
export const VIEWS_MAX = 20;
const KEY = 'visited_views';

interface VisitedState {
  readonly username: string | null;
  readonly views: readonly View[];
}

export const useVisited = create<VisitedState>(() => ({ username: null, views: [] }));

function isView(value: unknown): value is View {
  return (
    typeof value === 'object' &&
    value !== null &&
    ['path', 'address', 'title'].every(
      (key) => typeof (value as Record<string, unknown>)[key] === 'string',
    ) &&
    typeof (value as { affix?: unknown }).affix === 'boolean'
  );
}

function set(views: readonly View[]): void {
  const { username } = useVisited.getState();
  useVisited.setState({ views });
  writeTabJson(KEY, { username, views });
}

/** Restores the views that this browser tab remembers of the same person. `affixed` views are always there. */
export function openVisited(username: string, affixed: readonly View[]): void {
  const stored = readTabJson(KEY) as { username?: unknown; views?: unknown } | null;
  const remembered =
    stored?.username === username && Array.isArray(stored.views) ? stored.views.filter(isView) : [];
  const paths = new Set(affixed.map((view) => view.path));
  const known = new Map(remembered.map((view) => [view.path, view]));
  useVisited.setState({ username });
  set([
    ...affixed.map((view) => known.get(view.path) ?? view),
    ...remembered.filter((view) => !paths.has(view.path)),
  ]);
}

/** Adds a screen, or updates its address or title. */
export function visit(view: View): void {
  const { views } = useVisited.getState();
  const at = views.findIndex((other) => other.path === view.path);
  if (at >= 0) {
    set(views.map((other, index) => (index === at ? { ...view, affix: other.affix || view.affix } : other)));
    return;
  }
  const all = [...views, view];
  const surplus = all.length - VIEWS_MAX;
  const oldest = surplus > 0 ? all.find((other) => !other.affix && other.path !== view.path) : undefined;
  set(oldest ? all.filter((other) => other !== oldest) : all);
}

export function closeView(path: string): void {
  set(useVisited.getState().views.filter((view) => view.path !== path));
}

/** The form at this path is saved: its view closes unless the person has pinned it. */
export function finishView(path: string): void {
  set(useVisited.getState().views.filter((view) => view.affix || view.path !== path));
}

/** Closes all views except this view and the affixed views. */
export function closeOthers(path: string): void {
  set(useVisited.getState().views.filter((view) => view.affix || view.path === path));
}

/** Closes all views except the affixed ones. */
export function closeAll(): void {
  set(useVisited.getState().views.filter((view) => view.affix));
}

/** Pins or unpins a view; a pinned view survives bulk closes. */
export function setAffix(path: string, affix: boolean): void {
  set(useVisited.getState().views.map((view) => (view.path === path ? { ...view, affix } : view)));
}

/**
 * Where to go when the view at `path` closes: the right neighbour, else the left one; null when it is the only view.
 */
export function neighbourOf(path: string): View | null {
  const { views } = useVisited.getState();
  const at = views.findIndex((view) => view.path === path);
  return views[at + 1] ?? views[at - 1] ?? null;
}
