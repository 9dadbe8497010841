import { act, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, describe, expect, test } from 'vitest';
import { renderScreen } from '#/test/render';
import {
  closeAll,
  closeOthers,
  finishView,
  openVisited,
  useVisited,
  visit,
  VIEWS_MAX,
  type View,
} from './visited';
import { ViewTabs } from './ViewTabs';

function view(path: string, more: Partial<View> = {}): View {
  return { path, address: path, title: path.slice(1), affix: false, ...more };
}
const paths = () => useVisited.getState().views.map((one) => one.path);

beforeEach(() => openVisited('admin', []));

describe('the visited list', () => {
  test('[S4-048] keeps the open views with the address that each was left at', () => {
    visit(view('/users'));
    visit(view('/assets', { address: '/assets?page=2' }));
    visit(view('/users', { address: '/users?search=li', title: 'Users' }));
    expect(useVisited.getState().views).toEqual([
      view('/users', { address: '/users?search=li', title: 'Users' }),
      view('/assets', { address: '/assets?page=2' }),
    ]);
  });

  test('[S4-049] views marked affix survive closing all and closing others', () => {
    openVisited('admin', [view('/home', { affix: true })]);
    for (const path of ['/a', '/b', '/c']) visit(view(path));
    closeOthers('/b');
    expect(paths()).toEqual(['/home', '/b']);
    closeAll();
    expect(paths()).toEqual(['/home']);
  });

  test('a form that was saved closes, unless it is pinned', () => {
    openVisited('admin', [view('/pinned', { affix: true })]);
    for (const path of ['/users', '/users/create']) visit(view(path));
    finishView('/users/create');
    finishView('/pinned');
    expect(paths()).toEqual(['/pinned', '/users']);
  });

  test('is remembered for this browser tab and this person only', () => {
    visit(view('/users'));
    openVisited('admin', []);
    expect(paths()).toEqual(['/users']);
    expect(localStorage.length).toBe(0);
    openVisited('zhang', []);
    expect(paths()).toEqual([]);
  });

  test('a damaged memory counts as none', () => {
    sessionStorage.setItem('visited_views', '{"username":"admin","views":[{"path":1}, null]}');
    openVisited('admin', []);
    expect(paths()).toEqual([]);
  });

  test('lets the oldest go that is not affixed', () => {
    openVisited('admin', [view('/home', { affix: true })]);
    for (let number = 0; number < VIEWS_MAX + 2; number += 1) visit(view(`/${number}`));
    expect(paths()).toHaveLength(VIEWS_MAX);
    expect(paths()[0]).toBe('/home');
    expect(paths()[1]).toBe('/3');
  });
});

describe('the strip', () => {
  async function strip(at: string) {
    const { router } = await renderScreen(<ViewTabs />, { pattern: '$', address: at });
    act(() => {
      openVisited('admin', [view('/home', { affix: true, title: 'Home' })]);
      for (const name of ['A', 'B', 'C']) visit(view(`/${name.toLowerCase()}`, { title: name }));
    });
    await screen.findByRole('link', { name: 'A' });
    return router;
  }
  const names = () => screen.getAllByRole('link').map((link) => link.textContent);

  test('closing the open view goes to its neighbour; closing another goes nowhere', async () => {
    const router = await strip('/b');
    await userEvent.click(screen.getByRole('button', { name: 'Close A' }));
    expect(names()).toEqual(['Home', 'B', 'C']);
    expect(router.state.location.pathname).toBe('/b');
    await userEvent.click(screen.getByRole('button', { name: 'Close B' }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/c'));
    expect(names()).toEqual(['Home', 'C']);
  });

  test('arrows move, Delete closes, an affixed view stays', async () => {
    await strip('/a');
    expect(screen.queryByRole('button', { name: 'Close Home' })).toBeNull();
    act(() => screen.getByRole('link', { name: 'A' }).focus());
    await userEvent.keyboard('{ArrowRight}');
    expect(document.activeElement?.textContent).toBe('B');
    await userEvent.keyboard('{Delete}');
    expect(names()).toEqual(['Home', 'A', 'C']);
    await userEvent.keyboard('{Home}');
    expect(document.activeElement?.textContent).toBe('Home');
    await userEvent.keyboard('{Delete}');
    expect(names()).toEqual(['Home', 'A', 'C']);
    // One stop of the tab key for the whole strip.
    expect(screen.getAllByRole('link').filter((link) => link.tabIndex === 0)).toHaveLength(1);
  });

  test('[S4-049] the menu closes others and all but the affixed ones', async () => {
    const router = await strip('/b');
    const menu = async (item: string) => {
      await userEvent.click(screen.getByRole('button', { name: 'All open views' }));
      await userEvent.click(within(screen.getByRole('menu')).getByRole('menuitem', { name: item }));
    };
    await menu('Close others');
    expect(names()).toEqual(['Home', 'B']);
    await menu('Keep open');
    await menu('Close all');
    expect(names()).toEqual(['Home', 'B']);
    await menu('No longer keep open');
    await menu('Close all');
    await waitFor(() => expect(names()).toEqual(['Home']));
    expect(router.state.location.pathname).toBe('/home');
  });
});
