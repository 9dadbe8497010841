import { create } from 'zustand';
import { readTabJson, writeTabJson } from '#/lib/storage';

/** An open screen: where it is and what it is called. No content, and no address of a workspace with a token. */
export interface View {
  /** Path below `/ui`; one view for each. */
  readonly path: string;
  /** Path with its query, as it was left. */
  readonly address: string;
  readonly title: string;
  /** Always there: closing others or all leaves it. */
  readonly affix: boolean;
}

/** Views that are kept; the oldest that is not affixed goes first. */
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

/** Takes up what this browser tab remembers of the same person; `affixed` are there from the start. */
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

/** A screen has been opened, or its address or title has changed. */
export function visit(view: View): void {
  const { views } = useVisited.getState();
  const at = views.findIndex((one) => one.path === view.path);
  if (at >= 0) {
    set(views.map((one, index) => (index === at ? { ...view, affix: one.affix || view.affix } : one)));
    return;
  }
  const all = [...views, view];
  const surplus = all.length - VIEWS_MAX;
  const oldest = surplus > 0 ? all.find((one) => !one.affix && one.path !== view.path) : undefined;
  set(oldest ? all.filter((one) => one !== oldest) : all);
}

export function closeView(path: string): void {
  set(useVisited.getState().views.filter((view) => view.path !== path));
}

/** What was written there is saved: the view has nothing more to do, unless the person has pinned it. */
export function finishView(path: string): void {
  set(useVisited.getState().views.filter((view) => view.affix || view.path !== path));
}

/** Closes all but this one and the affixed ones. */
export function closeOthers(path: string): void {
  set(useVisited.getState().views.filter((view) => view.affix || view.path === path));
}

/** Closes all but the affixed ones. */
export function closeAll(): void {
  set(useVisited.getState().views.filter((view) => view.affix));
}

/** Keeps a view through bulk closes, or no longer. */
export function setAffix(path: string, affix: boolean): void {
  set(useVisited.getState().views.map((view) => (view.path === path ? { ...view, affix } : view)));
}

/** Where to go when the view at `path` closes: its right neighbour, else the left one; null when it is the only one. */
export function neighbourOf(path: string): View | null {
  const { views } = useVisited.getState();
  const at = views.findIndex((view) => view.path === path);
  return views[at + 1] ?? views[at - 1] ?? null;
}
