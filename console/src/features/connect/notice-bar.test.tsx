import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { expect, test } from 'vitest';
import { renderScreen } from '#/test/render';
import { NoticeBar } from './NoticeBar';

test('a notice of the proxy is read out, and put away by the person', async () => {
  let isAway = false;
  await renderScreen(
    <NoticeBar text="The permission expires in 49 seconds." onPutAway={() => (isAway = true)} />,
  );
  expect((await screen.findByRole('status')).textContent).toBe('The permission expires in 49 seconds.');
  await userEvent.click(screen.getByRole('button', { name: 'Put this notice away' }));
  expect(isAway).toBe(true);
});

test('the place of notices is there before the first one, so that it is read out when it comes', async () => {
  await renderScreen(<NoticeBar text={null} onPutAway={() => undefined} />);
  expect((await screen.findByRole('status')).textContent).toBe('');
});
