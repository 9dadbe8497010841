import { fireEvent, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { describe, expect, test } from 'vitest';
import { renderScreen } from '#/test/render';
import { AppLink, CellLink } from './link';

const TARGET = '/assets/assets?label=env:prod&page=2';

describe('link in a cell', () => {
  test('it has the same address as other links', async () => {
    await renderScreen(
      <>
        <AppLink to={TARGET}>one</AppLink>
        <CellLink to={TARGET}>other</CellLink>
      </>,
    );
    const [appLinkHref, cellLinkHref] = (await screen.findAllByRole('link')).map((link) =>
      link.getAttribute('href'),
    );
    expect(cellLinkHref).toBe(appLinkHref);
    expect(cellLinkHref).toBe('/assets/assets?label=env%3Aprod&page=2');
  });

  test('it navigates without loading the page again', async () => {
    const { router } = await renderScreen(<CellLink to={TARGET}>web</CellLink>);
    await userEvent.click(await screen.findByRole('link'));
    await waitFor(() => expect(router.state.location.pathname).toBe('/assets/assets'));
    expect(router.state.location.search).toEqual({ label: 'env:prod', page: '2' });
  });

  test('it leaves clicks for a new tab or window to the browser', async () => {
    const { router } = await renderScreen(<CellLink to={TARGET}>web</CellLink>);
    const link = await screen.findByRole('link');
    for (const how of [{ ctrlKey: true }, { metaKey: true }, { shiftKey: true }, { button: 1 }]) {
      // False when the default action of the browser was prevented.
      expect(fireEvent.click(link, how)).toBe(true);
    }
    expect(router.state.location.pathname).toBe('/');
  });
});
