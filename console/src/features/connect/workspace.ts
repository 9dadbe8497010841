import { create } from 'zustand';
import type { ConnectionToken, SessionTarget } from '#/domain/connecting/api';
import type { ConnectionStatus, EndedSession, OpenedSession } from '#/islands/terminal/connection';
import { readStoredJson, writeStoredJson } from '#/lib/storage';
import { panesOf, removePane, setRatio, splitPane, type Direction, type Layout } from './layout';

export interface Pane {
  readonly id: string;
  readonly target: SessionTarget;
  /** Incremented for each connection of this pane: a new session needs a new component. */
  readonly attempt: number;
  readonly token: ConnectionToken | null;
  /** Why the server gave no token. */
  readonly refusal: string | null;
  readonly status: ConnectionStatus;
  readonly detail: string;
  /** The gateways that are being passed; empty on the direct way. */
  readonly via: string;
  readonly session: OpenedSession | null;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly end: EndedSession | null;
  readonly latencyMs: number | null;
  readonly prompt: { readonly id: number; readonly text: string; readonly echo: boolean } | null;
  /** Last notice of the proxy; null when there is none or the person dismissed it. */
  readonly notice: string | null;
  /** Approximate number of bytes of a large paste that are not sent yet. */
  readonly pasting: number;
}

export interface WorkspaceTab {
  readonly id: string;
  readonly layout: Layout;
  readonly focused: string;
}

export interface TerminalPreferences {
  readonly fontSize: number;
  readonly screenReader: boolean;
}

interface Workspace {
  readonly tabs: readonly WorkspaceTab[];
  readonly panes: Readonly<Record<string, Pane>>;
  readonly current: string | null;
  readonly preferences: TerminalPreferences;
}

const PREFERENCES_KEY = 'terminalPreferences';
export const FONT_SIZES = { smallest: 9, usual: 13, largest: 24 } as const;

function storedPreferences(): TerminalPreferences {
  const stored = readStoredJson(PREFERENCES_KEY) as Partial<TerminalPreferences> | null;
  const size = Number(stored?.fontSize);
  return {
    fontSize: size >= FONT_SIZES.smallest && size <= FONT_SIZES.largest ? size : FONT_SIZES.usual,
    screenReader: stored?.screenReader === true,
  };
}

export const useWorkspace = create<Workspace>(() => ({
  tabs: [],
  panes: {},
  current: null,
  preferences: storedPreferences(),
}));

let made = 0;
function newId(kind: string): string {
  made += 1;
  return `${kind}${made}`;
}

function newPane(target: SessionTarget): Pane {
  return {
    id: newId('pane'),
    target,
    attempt: 0,
    token: null,
    refusal: null,
    status: 'connecting',
    detail: 'authorizing',
    via: '',
    session: null,
    startedAt: null,
    endedAt: null,
    end: null,
    latencyMs: null,
    prompt: null,
    notice: null,
    pasting: 0,
  };
}

export function openTab(target: SessionTarget): void {
  const pane = newPane(target);
  const tab: WorkspaceTab = { id: newId('tab'), layout: { kind: 'pane', id: pane.id }, focused: pane.id };
  useWorkspace.setState(({ tabs, panes }) => ({
    tabs: [...tabs, tab],
    panes: { ...panes, [pane.id]: pane },
    current: tab.id,
  }));
}

/** Opens the same target again, beside or below. */
export function splitFrom(paneId: string, direction: Direction): void {
  useWorkspace.setState(({ tabs, panes }) => {
    const origin = panes[paneId];
    if (!origin) return {};
    const pane = newPane(origin.target);
    return {
      panes: { ...panes, [pane.id]: pane },
      tabs: tabs.map((tab) =>
        panesOf(tab.layout).includes(paneId)
          ? { ...tab, layout: splitPane(tab.layout, paneId, direction, pane.id), focused: pane.id }
          : tab,
      ),
    };
  });
}

export function closePane(paneId: string): void {
  useWorkspace.setState(({ tabs, panes, current }) => {
    const { [paneId]: closed, ...left } = panes;
    if (!closed) return {};
    const at = tabs.findIndex((tab) => panesOf(tab.layout).includes(paneId));
    const remainingTabs = tabs.flatMap((tab) => {
      const layout = removePane(tab.layout, paneId);
      if (layout === null) return [];
      const focused = tab.focused === paneId ? (panesOf(layout)[0] as string) : tab.focused;
      return [{ ...tab, layout, focused }];
    });
    const isThere = remainingTabs.some((tab) => tab.id === current);
    return {
      panes: left,
      tabs: remainingTabs,
      current: isThere ? current : (remainingTabs[Math.max(0, at - 1)]?.id ?? null),
    };
  });
}

export function closeTab(tabId: string): void {
  const tab = useWorkspace.getState().tabs.find((candidate) => candidate.id === tabId);
  for (const pane of tab ? panesOf(tab.layout) : []) closePane(pane);
}

export function showTab(tabId: string): void {
  useWorkspace.setState({ current: tabId });
}

export function focusPane(paneId: string): void {
  useWorkspace.setState(({ tabs }) => ({
    tabs: tabs.map((tab) =>
      panesOf(tab.layout).includes(paneId) && tab.focused !== paneId ? { ...tab, focused: paneId } : tab,
    ),
  }));
}

export function resizeSplit(tabId: string, split: string, ratio: number): void {
  useWorkspace.setState(({ tabs }) => ({
    tabs: tabs.map((tab) =>
      tab.id === tabId ? { ...tab, layout: setRatio(tab.layout, split, ratio) } : tab,
    ),
  }));
}

export function updatePane(paneId: string, change: Partial<Pane>): void {
  useWorkspace.setState(({ panes }) => {
    const pane = panes[paneId];
    return pane ? { panes: { ...panes, [paneId]: { ...pane, ...change } } } : {};
  });
}

/** The permitted actions of a pane's session have changed. */
export function updateActions(paneId: string, actions: number): void {
  const session = useWorkspace.getState().panes[paneId]?.session;
  if (session) updatePane(paneId, { session: { ...session, actions } });
}

/** Starts a new session in the same pane. */
export function reconnectPane(paneId: string): void {
  useWorkspace.setState(({ panes }) => {
    const pane = panes[paneId];
    if (!pane) return {};
    const fresh = newPane(pane.target);
    return { panes: { ...panes, [paneId]: { ...fresh, id: pane.id, attempt: pane.attempt + 1 } } };
  });
}

export function setPreferences(change: Partial<TerminalPreferences>): void {
  useWorkspace.setState((state) => {
    const preferences = { ...state.preferences, ...change };
    writeStoredJson(PREFERENCES_KEY, preferences);
    return { preferences };
  });
}

/** Names of the assets whose sessions would end if the page is left. */
export function liveSessions(): readonly string[] {
  return Object.values(useWorkspace.getState().panes)
    .filter((pane) => pane.session !== null && pane.end === null)
    .map((pane) => pane.target.assetName);
}
