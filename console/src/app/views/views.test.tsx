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
const paths = () => useVisited.getState().views.map((view) => view.path);

beforeEach(() => openVisited('admin', []));

describe('visited list', () => {
  test('[S4-048] it keeps open views with the address at which each was left', () => {
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

  test('the view of a saved form closes, unless it is pinned', () => {
    openVisited('admin', [view('/pinned', { affix: true })]);
    for (const path of ['/users', '/users/create']) visit(view(path));
    finishView('/users/create');
    finishView('/pinned');
    expect(paths()).toEqual(['/pinned', '/users']);
  });

  test('it is remembered for this browser tab and this person only', () => {
    visit(view('/users'));
    openVisited('admin', []);
    expect(paths()).toEqual(['/users']);
    expect(localStorage.length).toBe(0);
    openVisited('zhang', []);
    expect(paths()).toEqual([]);
  });

  test('a damaged stored list counts as empty', () => {
    sessionStorage.setItem('visited_views', '{"username":"admin","views":[{"path":1}, null]}');
    openVisited('admin', []);
    expect(paths()).toEqual([]);
  });

  test('the oldest view that is not affixed is dropped', () => {
    openVisited('admin', [view('/home', { affix: true })]);
    for (let number = 0; number < VIEWS_MAX + 2; number += 1) visit(view(`/${number}`));
    expect(paths()).toHaveLength(VIEWS_MAX);
    expect(paths()[0]).toBe('/home');
    expect(paths()[1]).toBe('/3');
  });
});

describe('strip of tabs', () => {
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

  test('closing the open view goes to its neighbour; closing another stays', async () => {
    const router = await strip('/b');
    await userEvent.click(screen.getByRole('button', { name: 'Close A' }));
    expect(names()).toEqual(['Home', 'B', 'C']);
    expect(router.state.location.pathname).toBe('/b');
    await userEvent.click(screen.getByRole('button', { name: 'Close B' }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/c'));
    expect(names()).toEqual(['Home', 'C']);
  });

  test('arrows move, Delete closes, an affixed view cannot be closed', async () => {
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
    // The whole strip is one tab stop.
    expect(screen.getAllByRole('link').filter((link) => link.tabIndex === 0)).toHaveLength(1);
  });

  test('[S4-049] the menu closes the others, or all except the affixed ones', async () => {
    const router = await strip('/b');
    const menu = async (item: string) => {
      await userEvent.click(screen.getByRole('button', { name: 'All open views' }));
      await userEvent.click(within(screen.getByRole('menu')).getByRole('menuitem', { name: item }));
    };
    await menu('Close others');
    expect(names()).toEqual(['Home', 'B']);
    await menu('Pin');
    await menu('Close all');
    expect(names()).toEqual(['Home', 'B']);
    await menu('Unpin');
    await menu('Close all');
    await waitFor(() => expect(names()).toEqual(['Home']));
    expect(router.state.location.pathname).toBe('/home');
  });
});
