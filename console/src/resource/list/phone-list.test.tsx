import { screen } from '@testing-library/react';
import { beforeEach, describe, expect, test } from 'vitest';
import { list, rig, serveThings } from '#/test/list-rig';
import { onPhone } from '#/test/phone';
import { renderScreen } from '#/test/render';

serveThings();

describe('on a phone', () => {
  beforeEach(onPhone);

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
