import { act, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { setupServer } from 'msw/node';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { loadNamespaces } from '#/lib/i18n';
import { Role } from '#/lib/permissions';
import { adminSession, renderScreen } from '#/test/render';
import { Overlays } from '../shell/Overlays';
import { openVisited, visit } from '../views/visited';
import { marked, readInput, score } from './commands';
import { closePalette } from './palette-state';

const queries: URL[] = [];
const empty = { count: 0, next: null, previous: null, results: [] };
const server = setupServer(
  mock.get('*/api/v1/assets/assets/', ({ request }) => {
    const url = new URL(request.url);
    queries.push(url);
    if (!'mysql-order-01'.includes(url.searchParams.get('search') ?? '')) return HttpResponse.json(empty);
    return HttpResponse.json({
      ...empty,
      results: [
        { id: 'a-1', hostname: 'mysql-order-01', ip: '10.32.8.11' },
        { id: 'a-2', hostname: 'mysql-order-01-spare', ip: '10.32.8.12' },
        { id: 'a-3', hostname: 'mysql-order-01-old', ip: '10.32.8.13' },
      ],
    });
  }),
  mock.get('*/api/v1/perms/users/assets/', () =>
    HttpResponse.json({
      ...empty,
      results: [
        { id: 'a-1', hostname: 'mysql-order-01', is_active: true },
        { id: 'a-3', hostname: 'mysql-order-01-old', is_active: false },
      ],
    }),
  ),
  mock.get('*/api/v1/users/users/', ({ request }) => {
    const isMatch = 'mysia'.startsWith(new URL(request.url).searchParams.get('search') ?? '');
    return HttpResponse.json({
      ...empty,
      results: isMatch ? [{ id: 'u-1', name: 'Mysia', username: 'mysia' }] : [],
    });
  }),
  mock.get('*/api/v1/*', () => HttpResponse.json(empty)),
);
beforeAll(() => server.listen({ onUnhandledRequest: 'bypass' }));
beforeEach(() => openVisited('admin', []));
afterEach(() => {
  queries.length = 0;
  server.resetHandlers();
  act(closePalette);
});
afterAll(() => server.close());

async function open(session = adminSession) {
  const view = await renderScreen(<Overlays />, { session, pattern: '$' });
  await loadNamespaces(['palette']);
  await userEvent.keyboard('{Control>}k{/Control}');
  return { ...view, field: await screen.findByRole('combobox', {}, { timeout: 60_000 }) };
}
const options = () => screen.queryAllByRole('option').map((option) => option.textContent ?? '');

describe('the palette', () => {
  test('Ctrl-K opens it, it finds a screen, and Enter goes there', async () => {
    const { router, field } = await open();
    expect(document.activeElement).toBe(field);
    await userEvent.type(field, 'login log');
    expect(options()[0]).toContain('Login log');
    await userEvent.keyboard('{Enter}');
    await waitFor(() => expect(router.state.location.pathname).toBe('/audits/login-log'));
    expect(screen.queryByRole('combobox')).toBeNull();
  });

  test('it finds objects by name through the list endpoints, five of each', async () => {
    const { router, field } = await open();
    await userEvent.type(field, 'mysql');
    const option = await screen.findByRole(
      'option',
      { name: /^mysql-order-01 ?10|^mysql-order-01 ?Assets/ },
      { timeout: 60_000 },
    );
    expect(option.textContent).toContain('10.32.8.11');
    expect(queries.at(-1)?.searchParams.get('search')).toBe('mysql');
    expect(queries.at(-1)?.searchParams.get('limit')).toBe('5');
    await userEvent.click(option);
    await waitFor(() => expect(router.state.location.pathname).toBe('/assets/assets/a-1'));
  });

  test('it offers a session only with active assets that are granted to the person', async () => {
    const { field } = await open();
    await userEvent.type(field, 'mysql');
    await screen.findAllByRole('option', { name: /^mysql-order-01/ }, { timeout: 60_000 });
    const offered = options().filter((text) => text.startsWith('Connect to'));
    expect(offered).toHaveLength(1);
    expect(offered[0]).toMatch(/^Connect to ?mysql-order-01$/);
  });

  test("among the person's own assets it shows only those that can be opened", async () => {
    const user = { ...adminSession, roles: [Role.User], permissions: Role.User, currentRole: Role.User };
    const { field } = await open(user);
    await userEvent.type(field, 'mysql');
    await screen.findByRole('option', { name: /^mysql-order-01/ }, { timeout: 60_000 });
    expect(options().filter((text) => text.includes('old'))).toEqual([]);
  });

  test('it searches only the lists that the role may read', async () => {
    server.use(mock.get('*/api/v1/perms/users/assets/', () => HttpResponse.json(empty)));
    const { field } = await open({ ...adminSession, currentRole: Role.User });
    await userEvent.type(field, 'mysql');
    await screen.findAllByText('Nothing found', {}, { timeout: 60_000 });
    expect(queries).toHaveLength(0);
    expect(options()).toEqual([]);
  });

  test('a list that fails leaves the results of the others; an error is shown when all fail', async () => {
    server.use(mock.get('*/api/v1/users/*', () => HttpResponse.json({}, { status: 500 })));
    const { field } = await open();
    await userEvent.type(field, 'mysql');
    expect(
      await screen.findAllByRole('option', { name: /^mysql-order-01/ }, { timeout: 60_000 }),
    ).not.toEqual([]);
    server.use(mock.get('*/api/v1/*', () => HttpResponse.json({}, { status: 500 })));
    await userEvent.type(field, 'x');
    expect(await screen.findByText(/The search for objects failed/, {}, { timeout: 60_000 })).toBeTruthy();
  });

  test('it is a combobox: arrows move the active option, the focus stays in the field', async () => {
    const { field } = await open();
    const active = () => document.getElementById(field.getAttribute('aria-activedescendant') ?? '');
    const first = active();
    expect(first?.getAttribute('aria-selected')).toBe('true');
    await userEvent.keyboard('{ArrowDown}');
    expect(active()).not.toBe(first);
    expect(active()?.getAttribute('role')).toBe('option');
    expect(document.activeElement).toBe(field);
    await userEvent.keyboard('{ArrowUp}{ArrowUp}');
    expect(active()?.id).toBe(screen.getAllByRole('option').at(-1)?.id);
    await userEvent.keyboard('{Escape}');
    await waitFor(() => expect(screen.queryByRole('combobox')).toBeNull());
  });

  test('it shows open views first, and a first character limits the scope', async () => {
    visit({ path: '/users/groups', address: '/users/groups?page=2', title: 'User groups', affix: false });
    const { field } = await open();
    expect(options()[0]).toContain('User groups');
    await userEvent.type(field, '>');
    expect(options().some((text) => text.startsWith('Create user'))).toBe(true);
    expect(options().some((text) => text.startsWith('Login log'))).toBe(false);
    await userEvent.clear(field);
    await userEvent.type(field, '@mys');
    expect(await screen.findByRole('option', { name: /Mysia/ }, { timeout: 60_000 })).toBeTruthy();
    expect(queries).toHaveLength(0);
  });
});

test('words match in any order, beginnings of words rank first, and matches are marked', () => {
  expect(score('Asset permissions', 'perm asset')).toBe(4);
  expect(score('Asset permissions', 'missions')).toBe(1);
  expect(score('Asset permissions', 'host')).toBe(0);
  expect(marked('mysql (a+b)', '(a+')).toEqual([
    { text: 'mysql ', hit: false, at: 0 },
    { text: '(a+', hit: true, at: 1 },
    { text: 'b)', hit: false, at: 2 },
  ]);
  expect(readInput(' > sign out')).toEqual({ scope: 'actions', words: 'sign out' });
});
