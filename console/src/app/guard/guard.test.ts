import { act, renderHook } from '@testing-library/react';
import { isRedirect } from '@tanstack/react-router';
import { beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { browserLocation } from '#/lib/browser-location';
import { MissingTokenError } from '#/lib/http/errors';
import { startI18n } from '#/lib/i18n';
import { admin, adminSession } from '#/test/render';
import { clearToasts, useToasts } from '#/ui/toast';
import { GuardError, LeavingError, obey } from './guard';

const assign = vi.fn<(address: string) => void>();
beforeAll(() => startI18n(['app', 'ui'], 'en'));
beforeEach(() => {
  assign.mockReset();
  vi.useFakeTimers();
  vi.spyOn(browserLocation, 'assign').mockImplementation(assign);
  return () => vi.useRealTimers();
});

function thrown(run: () => void): unknown {
  try {
    run();
  } catch (error) {
    return error;
  }
  throw new Error('nothing was thrown');
}

test('a session that is ready enters the console', () => {
  obey({ at: 'ready', session: adminSession }, '/users/users');
  expect(assign).not.toHaveBeenCalled();
});

test('[S8-001] [S8-002] [S7-082] without the CSRF cookie the navigation is rejected and the page goes to sign-in after 100 ms', () => {
  history.replaceState(null, '', '/ui/assets/assets?page=2');
  const error = thrown(() => obey({ at: 'sign-in', delayMs: 100, error: new MissingTokenError() }, '/'));
  expect(error).toBeInstanceOf(LeavingError);
  expect((error as Error).message).toBe('No token found in cookie');
  vi.advanceTimersByTime(99);
  expect(assign).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(assign).toHaveBeenCalledWith('/core/auth/login/?next=%2Fui%2Fassets%2Fassets%3Fpage%3D2');
  history.replaceState(null, '', '/ui/');
});

test('[S2-026] [S4-017] a first sign-in is redirected to the page that completes the profile, and that page opens', () => {
  const exit = { at: 'must-complete-profile', session: { ...adminSession, profile: admin } } as const;
  const error = thrown(() => obey(exit, '/users/users'));
  expect(isRedirect(error) && error.options.to).toBe('/users/first-login/personal-information-improvement');
  obey(exit, '/users/first-login/personal-information-improvement');
});

test('a session that must change its password is sent to that page', () => {
  const error = thrown(() => obey({ at: 'must-change-password' }, '/'));
  expect(isRedirect(error) && error.options.to).toBe('/change-password');
});

test('[S8-022] a toast says that the routes cannot be built', () => {
  const { result } = renderHook(() => useToasts((state) => state.shown));
  act(() => {
    const error = thrown(() => obey({ at: 'failed', during: 'routes', error: new Error('x') }, '/'));
    expect(error instanceof GuardError && error.during).toBe('routes');
  });
  expect(result.current).toMatchObject([
    { tone: 'error', text: 'The pages could not be built from your permissions' },
  ]);
  clearToasts();
});
