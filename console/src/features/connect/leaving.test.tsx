import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { afterEach, expect, test } from 'vitest';
import { FrameTools } from '#/ui/frame-tools';
import { pageOf, recordedServer } from '#/test/recorded';
import { renderScreen } from '#/test/render';
import { ConnectPage } from './ConnectPage';
import { type Pane, useWorkspace } from './workspace';

recordedServer(
  () => [
    mock.get('*/api/v1/perms/users/*', ({ request }) =>
      HttpResponse.json(request.url.includes('/tree/') ? [] : pageOf([])),
    ),
  ],
  () => [import('#/ui/question-dialog')],
);
const before = useWorkspace.getState();
afterEach(() => act(() => useWorkspace.setState(before, true)));

/** The web terminal with a session in a pane. */
async function working(end: object | null) {
  const pane = { session: { session_id: 's' }, end, target: { assetName: 'web-1' } } as unknown as Pane;
  useWorkspace.setState({ panes: { p: pane } });
  const shown = await renderScreen(
    <FrameTools value={<button type="button">of the frame</button>}>
      <ConnectPage />
    </FrameTools>,
    { address: '/connect', pattern: '/connect' },
  );
  await screen.findByRole('heading', { level: 1, name: 'Web terminal' });
  return shown.router;
}
const answer = async (name: string) => userEvent.click(await screen.findByRole('button', { name }));

test('a person with a running session is asked before leaving the web terminal; the question names the asset', async () => {
  const router = await working(null);
  void router.navigate({ to: '/users' });
  const question = await screen.findByRole('alertdialog', { name: 'End 1 session?' });
  expect(question.textContent).toContain('web-1');
  await answer('Stay');
  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
  expect(router.state.location.pathname).toBe('/connect');
  void router.navigate({ to: '/users' });
  await answer('Leave');
  expect(await screen.findByText('elsewhere')).toBeTruthy();
});

test('a session that has ended asks no question', async () => {
  const router = await working({ reason: 'user_closed' });
  void router.navigate({ to: '/users' });
  expect(await screen.findByText('elsewhere')).toBeTruthy();
  expect(screen.queryByRole('alertdialog')).toBeNull();
});

test('its bar holds the tools of the frame', async () => {
  await working(null);
  expect(screen.getByRole('button', { name: 'of the frame' })).toBeTruthy();
  await act(async () => useWorkspace.setState({ panes: {} }));
});
