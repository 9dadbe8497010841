import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { renderScreen } from '#/test/render';
import { NoticeBar } from './NoticeBar';

test('a notice of the proxy is announced, and the person can dismiss it', async () => {
  let isAway = false;
  await renderScreen(
    <NoticeBar text="The permission expires in 49 seconds." onPutAway={() => (isAway = true)} />,
  );
  expect((await screen.findByRole('status')).textContent).toBe('The permission expires in 49 seconds.');
  await userEvent.click(screen.getByRole('button', { name: 'Dismiss this notice' }));
  expect(isAway).toBe(true);
});

test('the live region exists before the first notice, so that the notice is announced', async () => {
  await renderScreen(<NoticeBar text={null} onPutAway={() => undefined} />);
  expect((await screen.findByRole('status')).textContent).toBe('');
});
