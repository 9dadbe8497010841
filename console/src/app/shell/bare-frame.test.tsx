import { QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router';
import { act, render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { use } from 'react';
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { startI18n } from '#/lib/i18n';
import { queryClient } from '#/lib/query';
import { setSession } from '#/lib/session';
import { adminSession } from '#/test/render';
import { confirm } from '#/ui/confirm';
import { FrameTools } from '#/ui/frame-tools';
import { closePalette, usePalette } from '../palette/palette-state';
import { BareFrame } from './BareFrame';

function Workspace() {
  return (
    <main>
      <h1>work</h1>
      {use(FrameTools)}
    </main>
  );
}

// Imported here, so that loading does not count against the timeout of a single test.
beforeAll(() => import('#/ui/question-dialog').then(() => undefined), 60_000);
beforeEach(async () => {
  await startI18n(['app', 'nav', 'ui', 'shell', 'messages', 'palette', 'resource'], 'en');
  setSession(adminSession);
  const root = createRootRoute({ component: BareFrame });
  const place = createRoute({ getParentRoute: () => root, path: '/', component: Workspace });
  const router = createRouter({
    routeTree: root.addChildren([place]),
    history: createMemoryHistory({ initialEntries: ['/'] }),
  });
  render(
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>,
  );
  await screen.findByRole('heading', { level: 1, name: 'work' });
});
afterEach(() => {
  act(closePalette);
  vi.restoreAllMocks();
  setSession(null);
});

test('it has no menu and no open views, but search and messages for the bar of its screen', async () => {
  expect(screen.queryByRole('navigation')).toBeNull();
  const bar = screen.getByRole('main');
  const bell = screen.getByRole('button', { name: 'Site messages' });
  expect(bar.contains(bell)).toBe(true);
  await userEvent.click(screen.getByRole('button', { name: 'Search or jump to…' }));
  expect(usePalette.getState().isOpen).toBe(true);
});

test('it shows questions, among them that of a lost session', async () => {
  let answered: boolean | undefined;
  act(() => {
    void confirm({ title: 'Sure?' }).then((yes) => {
      answered = yes;
    });
  });
  await screen.findByRole('alertdialog', { name: 'Sure?' });
  await userEvent.click(screen.getByRole('button', { name: 'Confirm' }));
  await waitFor(() => expect(answered).toBe(true));
});

test('it says that there is no network', () => {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false);
  act(() => void window.dispatchEvent(new Event('offline')));
  expect(screen.getByText(/You are offline/)).toBeTruthy();
});
