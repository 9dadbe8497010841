import { beforeEach, describe, expect, it } from 'vitest';
import {
  closePane,
  closeTab,
  liveSessions,
  openTab,
  reconnectPane,
  setPreferences,
  splitFrom,
  updatePane,
  useWorkspace,
} from './workspace';
import type { SessionTarget } from '#/domain/connecting/api';
import { panesOf } from './layout';

const target: SessionTarget = {
  assetId: 'a1',
  assetName: 'web-1',
  address: '10.0.0.1',
  systemUser: {
    id: 's1',
    name: 'deploy',
    username: 'deploy',
    protocol: 'ssh',
    priority: 80,
    login_mode: 'auto',
  },
};

const state = () => useWorkspace.getState();

describe('workspace', () => {
  beforeEach(() => {
    useWorkspace.setState({ tabs: [], panes: {}, current: null });
  });

  it('shows a new tab at once', () => {
    openTab(target);
    openTab(target);
    expect(state().tabs).toHaveLength(2);
    expect(state().current).toBe(state().tabs[1]?.id);
  });

  it('splits the focused target and focuses the new pane', () => {
    openTab(target);
    const first = state().tabs[0]?.focused as string;
    splitFrom(first, 'columns');
    const [tab] = state().tabs;
    expect(tab && panesOf(tab.layout)).toHaveLength(2);
    expect(tab?.focused).not.toBe(first);
    expect(state().panes[tab?.focused as string]?.target).toEqual(target);
  });

  it('closes the tab with its last pane and shows the neighbour', () => {
    openTab(target);
    openTab(target);
    const [left, right] = state().tabs;
    closePane(right?.focused as string);
    expect(state().tabs).toEqual([left]);
    expect(state().current).toBe(left?.id);
    closeTab(left?.id as string);
    expect(state()).toMatchObject({ tabs: [], panes: {}, current: null });
  });

  it('knows whether leaving would end a session', () => {
    openTab(target);
    const pane = state().tabs[0]?.focused as string;
    expect(liveSessions()).toEqual([]);
    updatePane(pane, { session: { session_id: 's' } as never });
    expect(liveSessions()).toEqual(['web-1']);
    updatePane(pane, { end: { reason: 'user_closed', message: '', exitStatus: 0 } });
    expect(liveSessions()).toEqual([]);
  });

  it('reconnects in the same pane as a new session', () => {
    openTab(target);
    const pane = state().tabs[0]?.focused as string;
    updatePane(pane, {
      end: { reason: 'idle', message: '', exitStatus: null },
      token: { token: 't' } as never,
    });
    reconnectPane(pane);
    expect(state().panes[pane]).toMatchObject({ id: pane, attempt: 1, token: null, end: null });
  });

  it('stores the text size, never a token', () => {
    openTab(target);
    updatePane(state().tabs[0]?.focused as string, { token: { token: 'very-secret' } as never });
    setPreferences({ fontSize: 16 });
    expect(JSON.stringify({ ...localStorage })).toContain('16');
    expect(JSON.stringify({ ...localStorage, ...sessionStorage })).not.toContain('very-secret');
  });
});
