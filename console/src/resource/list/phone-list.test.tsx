import { screen } from '@testing-library/react';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { list, rig, serveThings } from '#/test/list-rig';
import { renderScreen } from '#/test/render';

serveThings();

/** A window of 390 px: media queries for less than 640 px match. */
function narrow(query: string): MediaQueryList {
  const listeners = { addEventListener: () => undefined, removeEventListener: () => undefined };
  return { matches: query === '(width < 640px)', media: query, ...listeners } as unknown as MediaQueryList;
}

describe('on a phone', () => {
  beforeEach(() => {
    vi.stubGlobal('matchMedia', narrow);
  });

  test('rows are cards, and the create button follows them at the lower edge', async () => {
    await renderScreen(list());
    const row = await screen.findByRole('link', { name: 'thing 1' });
    expect(screen.queryByRole('table')).toBeNull();
    const [create, ...others] = screen.getAllByRole('link', { name: 'Create user group' });
    expect(others).toEqual([]);
    expect(create?.parentElement?.className).toContain('sticky bottom-0');
    expect(row.compareDocumentPosition(create as Node)).toBe(Node.DOCUMENT_POSITION_FOLLOWING);
  });

  test('an empty list shows the create button once, without a table head', async () => {
    rig.stored = [];
    await renderScreen(list());
    expect(await screen.findByText('No user groups yet')).toBeTruthy();
    expect(screen.queryByRole('table')).toBeNull();
    expect(screen.getAllByRole('link', { name: 'Create user group' })).toHaveLength(1);
  });
});
