import { create } from 'zustand';
import type { HostPrompt } from '#/domain/connecting/PromptForm';
import type { SessionTarget } from '#/domain/connecting/api';
import type { ConnectionStatus, EndedSession, OpenedFiles } from '#/islands/terminal/connection';
import { readStoredJson, writeStoredJson } from '#/lib/storage';
import type { Order } from './list/arrange';

/** The session of a host whose files are shown, in one pane or in both. */
export interface FileSession {
  readonly id: string;
  readonly target: SessionTarget;
  readonly status: ConnectionStatus;
  readonly detail: string;
  readonly via: string;
  /** Why the server gave no token. */
  readonly refusal: string | null;
  readonly opened: OpenedFiles | null;
  /** Where the requests of this session begin; empty until it is open. */
  readonly base: string;
  readonly startedAt: number | null;
  readonly endedAt: number | null;
  readonly end: EndedSession | null;
  readonly prompt: HostPrompt | null;
  readonly notice: string | null;
}

export type Side = 'left' | 'right';
export const SIDES: readonly Side[] = ['left', 'right'];

export function otherSide(side: Side): Side {
  return side === 'left' ? 'right' : 'left';
}

export interface FilePane {
  readonly sessionId: string | null;
  /** The folder; null stands for the one in which the session begins. */
  readonly path: string | null;
  /** Path of the folder that is shown, as the host names it. */
  readonly shown: string | null;
  /** Path of the folder that was shown before. */
  readonly from: string | null;
  /** Raised to read the folder again. */
  readonly version: number;
}

export interface FilePreferences {
  readonly two: boolean;
  readonly hidden: boolean;
  readonly order: Order;
}

interface Workspace {
  readonly sessions: Readonly<Record<string, FileSession>>;
  readonly panes: Readonly<Record<Side, FilePane>>;
  readonly focused: Side;
  readonly preferences: FilePreferences;
}

const KEY = 'filesPreferences';
export const EMPTY_PANE: FilePane = { sessionId: null, path: null, shown: null, from: null, version: 0 };

function storedPreferences(): FilePreferences {
  const stored = readStoredJson(KEY) as Partial<FilePreferences> | null;
  return {
    two: stored?.two === true,
    hidden: stored?.hidden === true,
    order: stored?.order ?? { key: 'name', descending: false },
  };
}

export const useWorkspace = create<Workspace>(() => ({
  sessions: {},
  panes: { left: EMPTY_PANE, right: EMPTY_PANE },
  focused: 'left',
  preferences: storedPreferences(),
}));

export function newSession(id: string, target: SessionTarget): FileSession {
  return {
    id,
    target,
    status: 'connecting',
    detail: 'authorizing',
    via: '',
    refusal: null,
    opened: null,
    base: '',
    startedAt: null,
    endedAt: null,
    end: null,
    prompt: null,
    notice: null,
  };
}

export function sessionOf(id: string | null): FileSession | undefined {
  return id === null ? undefined : useWorkspace.getState().sessions[id];
}

export function putSession(session: FileSession): void {
  useWorkspace.setState(({ sessions }) => ({ sessions: { ...sessions, [session.id]: session } }));
}

export function forgetSession(id: string): void {
  useWorkspace.setState(({ sessions }) => {
    const { [id]: _gone, ...left } = sessions;
    return { sessions: left };
  });
}

export function changeSession(id: string, change: Partial<FileSession>): void {
  const session = sessionOf(id);
  if (session) putSession({ ...session, ...change });
}

export function changePane(side: Side, change: Partial<FilePane>): void {
  useWorkspace.setState(({ panes }) => ({ panes: { ...panes, [side]: { ...panes[side], ...change } } }));
}

export function focusPane(focused: Side): void {
  if (useWorkspace.getState().focused !== focused) useWorkspace.setState({ focused });
}

export function go(side: Side, path: string | null): void {
  changePane(side, { path, from: useWorkspace.getState().panes[side].shown });
}

export function reload(side: Side): void {
  changePane(side, { version: useWorkspace.getState().panes[side].version + 1 });
}

/** Reads every pane of a session again. */
export function reloadSession(sessionId: string): void {
  for (const side of SIDES) if (useWorkspace.getState().panes[side].sessionId === sessionId) reload(side);
}

export function setPreferences(change: Partial<FilePreferences>): void {
  useWorkspace.setState((state) => {
    const preferences = { ...state.preferences, ...change };
    writeStoredJson(KEY, preferences);
    return { preferences };
  });
}

export function isOver({ end, refusal }: FileSession): boolean {
  return end !== null || refusal !== null;
}
