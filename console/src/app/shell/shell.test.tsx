import { act, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { browserLocation } from '#/lib/browser-location';
import { Role } from '#/lib/permissions';
import type { RouteRecord } from '#/lib/routes';
import { readCookie } from '#/lib/storage';
import { admin, adminSession, renderScreen } from '#/test/render';
import own from '../../../package.json' with { type: 'json' };
import { homeOf, menuFor, openTo, refusalOf, recordNamed } from '../sections';
import { Shell } from './Shell';
import { setSidebarOpen, useSidebar } from './sidebar-state';

const WIDE_PX = 1024;

function resizeTo(width: number) {
  act(() => {
    window.innerWidth = width;
    window.dispatchEvent(new Event('resize'));
  });
}

afterEach(() => {
  resizeTo(WIDE_PX);
  act(() => setSidebarOpen(true));
});

describe('sidebar', () => {
  test('[S1-068] [S3-082] [S4-018] [S4-019] [S9-056] it opens and closes, and the cookie keeps the state', async () => {
    await renderScreen(<Shell />);
    await userEvent.click(await screen.findByRole('button', { name: 'Close menu' }));
    expect(readCookie('sidebarStatus')).toBe('0');
    expect(localStorage.getItem('sidebarStatus')).toBe('0');
    await userEvent.click(screen.getByRole('button', { name: 'Open menu' }));
    expect(readCookie('sidebarStatus')).toBe('1');
  });

  test('[S4-020] [S9-005] it closes by itself below 992 px and reopens above', async () => {
    await renderScreen(<Shell />);
    await screen.findByRole('navigation', { name: 'Main menu' });
    resizeTo(991);
    expect(useSidebar.getState()).toEqual({ isMobile: true, isOpen: false });
    resizeTo(992);
    expect(useSidebar.getState()).toEqual({ isMobile: false, isOpen: true });
  });

  test('[S4-021] in mobile mode a change of route closes it', async () => {
    const { router } = await renderScreen(<Shell />, { pattern: '$' });
    await screen.findByRole('button', { name: 'Close menu' });
    resizeTo(600);
    act(() => setSidebarOpen(true));
    await act(() => router.navigate({ to: '/somewhere' }));
    expect(useSidebar.getState().isOpen).toBe(false);
  });

  test('[S1-086] [S1-087] [S1-088] [S1-089] the footer names version, API level and, without a licence, the GPL', async () => {
    const { unmount } = await renderScreen(<Shell />);
    expect(await screen.findByText(`Postern ${own.version}`)).toBeTruthy();
    expect(screen.getByText('API v2.13.2')).toBeTruthy();
    expect(screen.getByText(/Released under GPLv3/)).toBeTruthy();
    expect(screen.getByText(/© 2026 Postern contributors/)).toBeTruthy();
    unmount();
    await renderScreen(<Shell />, {
      session: { ...adminSession, settings: { XPACK_LICENSE_IS_VALID: true } },
    });
    expect(await screen.findByText('API v2.13.2')).toBeTruthy();
    expect(screen.queryByText(/Released under GPLv3/)).toBeNull();
    expect(screen.queryByText(/©/)).toBeNull();
  });

  test('[S1-070] the logo comes from the public settings', async () => {
    const settings = { LOGO_URLS: { logo_index: '/media/own.png' } };
    await renderScreen(<Shell />, { session: { ...adminSession, settings } });
    expect((await screen.findByRole('img', { name: 'Postern' })).getAttribute('src')).toBe('/media/own.png');
  });
});

describe('the menu of a phone', () => {
  test('the foot shows name, role, theme and sign out', async () => {
    const assign = vi.spyOn(browserLocation, 'assign').mockImplementation(() => {});
    await renderScreen(<Shell />);
    await screen.findByRole('navigation', { name: 'Main menu' });
    resizeTo(390);
    await userEvent.click(await screen.findByRole('button', { name: 'Open menu' }));
    const menu = within(await screen.findByRole('dialog', { name: 'Main menu' }));
    const person = await menu.findByRole('link', { name: /Administrator/ });
    expect(person.textContent).toBe('Administratorsuper admin');
    expect(person.getAttribute('href')).toBe('/users/profile');
    await userEvent.click(menu.getByRole('button', { name: 'Dark' }));
    expect(document.documentElement.dataset['theme']).toBe('dark');
    await userEvent.click(menu.getByRole('button', { name: 'Light' }));
    expect(document.documentElement.dataset['theme']).toBe('light');
    await userEvent.click(menu.getByRole('button', { name: 'Sign out' }));
    expect(assign).toHaveBeenCalledWith('/core/auth/logout/?next=%2Fui%2F');
    assign.mockRestore();
  });
});

describe('top bar', () => {
  test('[S1-073] [S1-074] [S1-075] [S1-076] [S1-077] [S1-080] it has help, language and the web terminal', async () => {
    await renderScreen(<Shell />);
    expect((await screen.findByRole('link', { name: 'Web terminal' })).getAttribute('href')).toBe('/connect');
    expect(screen.getByRole('button', { name: '简体中文' })).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: 'Help' }));
    for (const name of ['Documentation', 'Support', 'Enterprise edition'])
      expect(screen.getByRole('menuitem', { name })).toBeTruthy();
  });

  test('[S1-081] [S1-082] [S1-083] [S1-084] [S1-085] it has an account menu', async () => {
    await renderScreen(<Shell />);
    await userEvent.click(await screen.findByRole('button', { name: /Administrator/ }));
    expect(screen.getByRole('menuitem', { name: /Profile/ })).toBeTruthy();
    expect(screen.getByRole('menuitem', { name: 'Switch to user page' })).toBeTruthy();
    expect(screen.getByRole('menuitem', { name: 'API keys' })).toBeTruthy();
    expect(screen.getByRole('menuitem', { name: 'Sign out' })).toBeTruthy();
  });
});

describe('what a role may open', () => {
  const as = (currentRole: number) => ({ ...adminSession, currentRole });
  const ids = (role: number) => menuFor(as(role)).map((section) => section.id);

  test('[S6-029] [S6-031] [S6-032] menus follow the permission bits', () => {
    expect(ids(Role.SuperAdmin)).toEqual([
      'dashboard',
      'users',
      'assets',
      'applications',
      'perms',
      'sessions',
      'audits',
      'jobs',
      'settings',
    ]);
    expect(ids(2)).toEqual(['dashboard', 'sessions', 'audits']);
    expect(ids(Role.User)).toEqual([
      'workbench',
      'my-applications',
      'my-credentials',
      'web-terminal',
      'file-manager',
    ]);
  });

  test('[S6-024] what is for system administrators is shown to nobody else, also not to system auditors', () => {
    const isForAdministrators = (record: RouteRecord) => record.permission === 'super';
    const open = (role: number) => openTo(as(role)).flatMap((section) => section.routes);
    const names = open(Role.SuperAdmin)
      .filter(isForAdministrators)
      .map((record) => record.name);
    expect(names).toContain('TaskMonitor');
    for (const role of [Role.SuperAuditor, Role.OrgAdmin, Role.OrgAuditor, Role.User, Role.Anon])
      expect(open(role).filter(isForAdministrators)).toEqual([]);
    const monitor = recordNamed('TaskMonitor');
    expect(monitor && refusalOf(monitor, as(Role.SuperAuditor))).toBe('permission');
  });

  test('searching inside recordings stands beside the commands, for administrators and auditors', () => {
    const screensOf = (role: number) =>
      menuFor(as(role))
        .find((section) => section.id === 'sessions')
        ?.routes.map((record) => record.name);
    for (const role of [Role.SuperAdmin, Role.OrgAdmin, Role.OrgAuditor])
      expect(screensOf(role)?.slice(0, 3)).toEqual(['SessionList', 'CommandList', 'RecordingSearch']);
    const record = recordNamed('RecordingSearch');
    expect(record && refusalOf(record, as(Role.User))).toBe('permission');
  });

  test('[S2-111] [S6-022] storages and their forms are for system administrators', () => {
    const screens = ['Storage', 'CreateReplayStorage', 'ReplayStorageUpdate'];
    for (const name of [...screens, 'CreateCommandStorage', 'CommandStorageUpdate']) {
      const record = recordNamed(name);
      expect(record && refusalOf(record, as(Role.SuperAdmin))).toBeNull();
      for (const role of [Role.SuperAuditor, Role.OrgAdmin, Role.OrgAuditor, Role.User])
        expect(record && refusalOf(record, as(role))).toBe('permission');
    }
    const menuOf = (role: number) => menuFor(as(role)).flatMap((section) => section.routes);
    expect(menuOf(Role.SuperAdmin).map((record) => record.name)).toContain('Storage');
    expect(menuOf(Role.OrgAdmin).map((record) => record.name)).not.toContain('Storage');
  });

  test('a screen without the right is refused, also by its address', () => {
    const list = recordNamed('UserList');
    if (!list) throw new Error('UserList is not declared');
    expect(refusalOf(list, as(Role.User))).toBe('permission');
    expect(refusalOf(list, as(Role.OrgAdmin))).toBeNull();
    expect(refusalOf({ ...list, licence: true }, as(Role.OrgAdmin))).toBe('licence');
    expect(refusalOf({ ...list, setting: 'TICKETS_ENABLED' }, as(Role.OrgAdmin))).toBe('setting');
  });

  test('the first permitted screen is the home', () => {
    expect(homeOf(as(Role.User))).toBe('/my-assets');
    expect(homeOf({ ...as(2), profile: admin })).toBe('/dashboard');
  });
});
