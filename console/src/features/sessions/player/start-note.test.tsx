import { screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { adminSession, renderScreen } from '#/test/render';
import { StartNote } from './StartNote';

afterEach(() => history.replaceState(null, '', '/'));

const open = async (search: string) => {
  history.replaceState(null, '', `/${search}`);
  const screenOf = (
    <>
      <StartNote />
      <p>below</p>
    </>
  );
  await renderScreen(screenOf, { texts: ['sessions'], session: adminSession });
  await screen.findByText('below');
};

test('a link to an impossible second is explained', async () => {
  await open('?t=1e308');
  expect(screen.getByText(/names no second/)).toBeTruthy();
});

test('a link to a second is not', async () => {
  await open('?t=12.5');
  expect(screen.queryByText(/names no second/)).toBeNull();
});
