import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import {
  all,
  dialog,
  offsetAnswer,
  pageAnswer,
  type Plan,
  rig,
  sent,
  serve,
  server,
  table,
  URL_OF,
  servePlans,
} from '#/test/generic-rig';
import { renderScreen } from '#/test/render';
import zh from '../locales/zh.json';
import { offsetSource, pageSource } from './row-source';
import { defaultWrites } from './row-writes';

servePlans();

describe.each([
  {
    dialect: 'page and size',
    source: pageSource<Plan>('plans/'),
    answer: pageAnswer,
    first: { page: '1', size: '10' },
    second: { page: '2', size: '10', sort: 'name', direction: 'desc' },
  },
  {
    dialect: 'offset and limit',
    source: offsetSource<Plan>('plans/'),
    answer: offsetAnswer,
    first: { offset: '0', limit: '10' },
    second: { offset: '10', limit: '10', order: '-name' },
  },
])('[S3-077] the table over $dialect', ({ source, answer, first, second }) => {
  beforeEach(() => serve(answer));

  test('[S7-058] [S7-060] [S9-027] [S9-028] it requests the first ten rows, then a page in an order', async () => {
    const { router } = await renderScreen(table({ source }));
    expect(await screen.findByText('plan 1')).toBeTruthy();
    expect(screen.getAllByRole('row')).toHaveLength(11);
    expect(screen.getByText('1–10 of 23')).toBeTruthy();
    expect(sent('GET')[0]?.query).toMatchObject(first);
    await userEvent.click(screen.getByRole('button', { name: 'Name' }));
    await userEvent.click(screen.getByRole('button', { name: 'Name' }));
    await userEvent.click(screen.getByRole('button', { name: 'Page 2' }));
    expect(await screen.findByText('plan 11')).toBeTruthy();
    await waitFor(() => expect(sent('GET').at(-1)?.query).toMatchObject(second));
    expect(router.state.location.search).toEqual({ page: '2', order: '-name' });
  });

  test('[S4-071] after the last row of the last page is deleted it moves back one page', async () => {
    rig.stored = all.slice(0, 21);
    server.use(
      mock.delete('*/api/v1/plans/:ids/', ({ params }) => {
        rig.stored = rig.stored.filter((row) => !String(params['ids']).split(',').includes(row.id));
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const { router } = await renderScreen(table({ source, writes: defaultWrites('plans/') }), {
      address: '/?page=3',
    });
    await userEvent.click(await screen.findByRole('button', { name: 'Delete plan 21' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Delete' }));
    expect(await screen.findByText('plan 11')).toBeTruthy();
    expect(router.state.location.search).toEqual({ page: '2' });
    rig.stored = [];
    await userEvent.click(screen.getByRole('button', { name: 'Refresh' }));
    await waitFor(() => expect(router.state.location.search).toEqual({}));
    expect(await screen.findByText('No data')).toBeTruthy();
  });

  test('[S4-072] after the only row of page 1 is deleted it stays there', async () => {
    rig.stored = all.slice(0, 1);
    server.use(
      mock.delete('*/api/v1/plans/:ids/', () => {
        rig.stored = [];
        return new HttpResponse(null, { status: 204 });
      }),
    );
    const { router } = await renderScreen(table({ source, writes: defaultWrites('plans/') }));
    await userEvent.click(await screen.findByRole('button', { name: 'Delete plan 1' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Delete' }));
    expect(await screen.findByText('No data')).toBeTruthy();
    expect(router.state.location.search).toEqual({});
    for (const { query } of sent('GET')) expect(query).toMatchObject(first);
  });
});

test('[S3-071] [S3-072] rows and total are at configurable paths', async () => {
  server.use(mock.get(URL_OF, () => HttpResponse.json({ data: { list: [all[0]] }, sum: 71 })));
  await renderScreen(table({ source: pageSource('plans/', { rowsPath: 'data.list', totalPath: 'sum' }) }));
  expect(await screen.findByText('plan 1')).toBeTruthy();
  expect(screen.getByText('1–10 of 71')).toBeTruthy();
});

test('[S5-045] a page request without page or size is not sent', async () => {
  const source = pageSource('plans/');
  const request = { page: 1, size: 10, order: '', conditions: {} };
  await expect(source.fetch({ ...request, size: 0 })).rejects.toThrow('needs page and size');
  await expect(source.fetch({ ...request, page: Number.NaN })).rejects.toThrow('needs page and size');
  expect(rig.requests).toHaveLength(0);
});

test('[S7-061] [S9-032] without pagination page is -1 and size 999, and there is no pager', async () => {
  serve(pageAnswer);
  await renderScreen(table({ paginated: false }));
  expect(await screen.findByText('plan 23')).toBeTruthy();
  expect(sent('GET')[0]?.query).toMatchObject({ page: '-1', size: '999' });
  expect(screen.queryByRole('navigation', { name: 'Pages of Plans' })).toBeNull();
});

test('[S7-059] [S9-033] search values and the extra query are sent, the search stays in the address', async () => {
  serve(pageAnswer);
  const search = [{ key: 'name', label: 'Plan name' }];
  const { router } = await renderScreen(table({ search, extraQuery: { kind: 'nightly' } }), {
    address: '/?page=2&name=old&foreign=1',
  });
  await screen.findByText('plan 11');
  expect(sent('GET')[0]?.query).toEqual({ page: '2', size: '10', name: 'old', kind: 'nightly' });
  const field = screen.getByRole<HTMLInputElement>('textbox', { name: 'Plan name' });
  expect(field.value).toBe('old');
  await userEvent.clear(field);
  await userEvent.type(field, ' new {Enter}');
  await waitFor(() => expect(sent('GET').at(-1)?.query).toMatchObject({ page: '1', name: 'new' }));
  expect(router.state.location.search).toEqual({ name: 'new', foreign: '1' });
});

test('search can be kept out of the address', async () => {
  serve(pageAnswer);
  const search = [{ key: 'name', label: 'Plan name' }];
  const { router } = await renderScreen(table({ search, searchInAddress: false }));
  await userEvent.type(await screen.findByRole('textbox', { name: 'Plan name' }), 'x{Enter}');
  await waitFor(() => expect(sent('GET').at(-1)?.query['name']).toBe('x'));
  expect(router.state.location.search).toEqual({});
});

test('[S9-029] [S9-030] [S9-031] [S9-034] sizes, five pages, a jumper, centred columns', async () => {
  rig.stored = Array.from({ length: 95 }, (_, at) => ({ id: `${at}`, name: `row ${at + 1}` }));
  serve(pageAnswer);
  await renderScreen(table());
  await screen.findByText('row 1');
  const pager = screen.getByRole('navigation', { name: 'Pages of Plans' });
  expect(
    within(pager)
      .getAllByRole('option')
      .map((element) => element.textContent),
  ).toEqual(['10', '20', '30', '40', '50']);
  expect(within(pager).getAllByRole('button', { name: /^Page / })).toHaveLength(5);
  const jump = within(pager).getByRole('textbox', { name: 'Go to page' });
  await userEvent.clear(jump);
  await userEvent.type(jump, '99{Enter}');
  expect(await screen.findByText('row 95')).toBeTruthy();
  expect(sent('GET').at(-1)?.query['page']).toBe('10');
  for (const head of screen.getAllByRole('columnheader')) expect(head.className).toContain('text-center');
  for (const cell of screen.getAllByRole('cell')) expect(cell.className).toContain('text-center');
});

test('[S3-073] the id field has a configurable name', async () => {
  server.use(
    mock.get(URL_OF, () =>
      HttpResponse.json({ payload: { content: [{ uid: 'u7', name: 'plan 7' }], totalElements: 1 } }),
    ),
    mock.delete('*/api/v1/plans/:ids/', () => new HttpResponse(null, { status: 204 })),
  );
  await renderScreen(table({ idKey: 'uid', writes: defaultWrites('plans/', { idKey: 'uid' }) }));
  await userEvent.click(await screen.findByRole('button', { name: 'Delete plan 7' }));
  await userEvent.click(await screen.findByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(sent('DELETE')[0]?.path).toBe('/api/v1/plans/u7/'));
});

test('[S3-075] [S3-076] a cell shows the _display field, or the raw value without it', async () => {
  rig.stored = [
    { id: '1', name: 'one', state: 'ok', state_display: 'Reachable' },
    { id: '2', name: 'two', state: 'raw' },
  ];
  serve(pageAnswer);
  await renderScreen(table());
  expect(await screen.findByText('Reachable')).toBeTruthy();
  expect(screen.queryByText('ok')).toBeNull();
  expect(screen.getByText('raw')).toBeTruthy();
});

describe('dialogs', () => {
  const writes = { ...defaultWrites<Plan>('plans/', { extraBody: { kind: 'nightly' } }) };
  beforeEach(() => serve(pageAnswer));

  test('[S4-063] [S4-066] [S4-068] [S4-069] [S7-075] new: confirm posts values and extra body, reloads, closes', async () => {
    server.use(mock.post(URL_OF, () => HttpResponse.json({ id: 'p24' }, { status: 201 })));
    await renderScreen(table({ dialog, writes }));
    await userEvent.click(await screen.findByRole('button', { name: 'Create plan' }));
    const open = await screen.findByRole('dialog', { name: 'Create plan' });
    await userEvent.type(within(open).getByLabelText(/Name/), 'weekly');
    const before = sent('GET').length;
    await userEvent.click(within(open).getByRole('button', { name: 'Confirm' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(sent('POST')[0]?.body).toEqual({ name: 'weekly', kind: 'nightly' });
    expect(sent('GET').length).toBeGreaterThan(before);
  });

  test('[S4-063] [S4-067] edit: confirm updates the row with what was typed', async () => {
    const update = vi.fn<(row: Plan, values: unknown) => Promise<unknown>>().mockResolvedValue(null);
    await renderScreen(table({ dialog, writes: { ...writes, update } }));
    await userEvent.click(await screen.findByRole('button', { name: 'Update plan 3' }));
    const open = await screen.findByRole('dialog', { name: 'Update plan' });
    const name = within(open).getByLabelText<HTMLInputElement>(/Name/);
    expect(name.value).toBe('plan 3');
    await userEvent.type(name, '!');
    await userEvent.click(within(open).getByRole('button', { name: 'Confirm' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(update).toHaveBeenCalledExactlyOnceWith(all[2], { name: 'plan 3!' });
  });

  test('[S7-081] the default update issues no call', async () => {
    await renderScreen(table({ dialog, writes }));
    await userEvent.click(await screen.findByRole('button', { name: 'Update plan 3' }));
    await userEvent.click(await screen.findByRole('button', { name: 'Confirm' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(new Set(rig.requests.map((request) => request.method))).toEqual(new Set(['GET']));
  });

  test('[S4-063] [S4-064] [S4-065] view: nothing can be changed or confirmed', async () => {
    await renderScreen(table({ dialog, writes }));
    await userEvent.click(await screen.findByRole('button', { name: 'Actions of plan 3' }));
    await userEvent.click(screen.getByRole('menuitem', { name: 'View' }));
    const open = await screen.findByRole('dialog', { name: 'View plan' });
    expect(within(open).getByLabelText<HTMLInputElement>(/Name/).disabled).toBe(true);
    expect(within(open).queryByRole('button', { name: 'Confirm' })).toBeNull();
    expect(
      within(open)
        .getAllByRole('button')
        .map((button) => button.title),
    ).toEqual(['Close']);
  });

  test('[S4-070] [S8-035] a failed confirm keeps the dialog open and clears its loading state', async () => {
    server.use(mock.post(URL_OF, () => HttpResponse.json({ name: ['taken'] }, { status: 400 })));
    await renderScreen(table({ dialog, writes }));
    await userEvent.click(await screen.findByRole('button', { name: 'Create plan' }));
    const open = await screen.findByRole('dialog');
    await userEvent.type(within(open).getByLabelText(/Name/), 'weekly{Enter}');
    expect(await within(open).findByText('taken')).toBeTruthy();
    expect(within(open).getByRole('button', { name: 'Confirm' }).getAttribute('aria-busy')).not.toBe('true');
    expect(within(open).getByLabelText<HTMLInputElement>(/Name/).value).toBe('weekly');
  });
});

describe('deleting', () => {
  beforeEach(() => serve(pageAnswer));

  test('[S7-077] [S5-058] [S5-060] [S5-061] it always asks with a warning; then DELETE on url/{ids}/ with commas', async () => {
    server.use(mock.delete('*/api/v1/plans/:ids/', () => new HttpResponse(null, { status: 204 })));
    await renderScreen(table({ selectable: true, writes: defaultWrites('plans/') }));
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Select plan 2' }));
    await userEvent.click(screen.getByRole('checkbox', { name: 'Select plan 4' }));
    await userEvent.click(screen.getByRole('button', { name: 'Delete' }));
    const question = await screen.findByRole('alertdialog', { name: 'Confirm delete?' });
    expect(zh.generic.confirm_delete).toBe('确认删除？');
    expect(within(question).getByRole('img', { name: 'Warning' })).toBeTruthy();
    expect(within(question).getByText('plan 4')).toBeTruthy();
    expect(sent('DELETE')).toHaveLength(0);
    await userEvent.click(within(question).getByRole('button', { name: 'Delete' }));
    await waitFor(() => expect(sent('DELETE')[0]?.path).toBe('/api/v1/plans/p2,p4/'));
    expect(await screen.findByText('2 deleted')).toBeTruthy();
  });

  test('[S8-036] [S8-037] a failure is logged as a warning and rethrown to the question, which stays open', async () => {
    server.use(
      mock.delete('*/api/v1/plans/:ids/', () => HttpResponse.json({ detail: 'in use' }, { status: 400 })),
    );
    const warn = vi.spyOn(console, 'warn').mockReturnValue();
    await renderScreen(table({ writes: defaultWrites('plans/') }));
    await userEvent.click(await screen.findByRole('button', { name: 'Delete plan 2' }));
    const question = await screen.findByRole('alertdialog');
    await userEvent.click(within(question).getByRole('button', { name: 'Delete' }));
    expect(await screen.findByText('Delete failed: in use')).toBeTruthy();
    expect(warn).toHaveBeenCalledWith('delete failed', expect.objectContaining({ status: 400 }));
    expect(screen.getByRole('alertdialog')).toBe(question);
    await userEvent.click(within(question).getByRole('button', { name: 'Cancel' }));
  });
});

test('[S8-034] a failed load shows the error, sets the total to 0 and ends loading', async () => {
  server.use(mock.get(URL_OF, () => HttpResponse.json({ msg: 'broken' }, { status: 500 })));
  const onError = vi.fn<(error: unknown) => void>();
  await renderScreen(table({ onError }));
  expect(await screen.findByText('broken')).toBeTruthy();
  expect(onError).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ status: 500 }));
  expect(screen.getByText('0–0 of 0')).toBeTruthy();
  expect(screen.getByRole('table').getAttribute('aria-busy')).toBe('false');
});
