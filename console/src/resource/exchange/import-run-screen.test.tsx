import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { describe, expect, test } from 'vitest';
import { csv, LIST, openMenu, rendered, saved, sent, server, TITLE, where } from '#/test/exchange-rig';

describe('import: the run', () => {
  /** Opens the wizard with these rows already read; names that start with “bad” are rejected. */
  async function withRows(names: readonly string[], mode: 'create' | 'update' = 'create', data?: object[]) {
    const bodies: Record<string, unknown>[] = [];
    const save = async (request: Request, status: number) => {
      const body = (await request.json()) as Record<string, unknown>;
      bodies.push(body);
      return String(body['name']).startsWith('bad')
        ? HttpResponse.json({ name: ['taken', 'too short'], meta: { port: ['high'] } }, { status: 400 })
        : HttpResponse.json({ ...body, id: `new-${String(body['name'])}` }, { status });
    };
    server.use(
      mock.post('*/users/groups/render-to-json/', () =>
        HttpResponse.json(
          data ? { title: [['ID', 'id'], ...TITLE, ['Parent', 'parent']], data } : rendered(names),
        ),
      ),
      mock.post(LIST, ({ request }) => save(request, 201)),
      mock.put('*/api/v1/users/groups/:id/', ({ request }) => save(request, 200)),
    );
    const view = await openMenu('Import');
    if (mode === 'update')
      await userEvent.click(within(view.dialog).getByRole('radio', { name: 'Update existing objects' }));
    await userEvent.upload(screen.getByLabelText('Choose file', { selector: 'input' }), csv());
    await within(view.dialog).findByText(/^Check finished/);
    return { ...view, bodies };
  }
  const press = (name: string) => userEvent.click(screen.getByRole('button', { name }));
  const row = (number: number) => screen.getByRole('row', { name: new RegExp(`^${number} `) });

  test('[S7-070] [S4-052] [S4-056] create: one POST for each row, in their order', async () => {
    const { dialog } = await withRows(['ops', 'net']);
    await press('Import');
    expect(await within(dialog).findByRole('button', { name: 'Finished' })).toBeTruthy();
    expect(where('POST').map(({ body }) => JSON.parse(body) as unknown)).toEqual([
      { name: 'ops', kind: 'team' },
      { name: 'net', kind: 'team' },
    ]);
    expect(await screen.findByText('2 rows imported')).toBeTruthy();
    await press('Finished');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  test('[S7-071] update: one PUT to each object; a row without an ID fails without a request', async () => {
    const { dialog } = await withRows([], 'update', [
      { id: 'g1', name: 'dba' },
      { name: 'nobody' },
      { id: 'g2', name: 'web' },
    ]);
    await press('Import 2, leave out 1');
    expect(await within(dialog).findByRole('button', { name: 'Continue' })).toBeTruthy();
    const puts = sent.filter(({ method }) => method === 'PUT');
    expect(puts.map(({ path }) => path)).toEqual(['users/groups/g1/', 'users/groups/g2/']);
    expect(where('POST')).toHaveLength(0);
    expect(within(row(2)).getByText('ID: an update needs the ID of the object')).toBeTruthy();
  });

  test('[S8-030] [S8-031] [S8-033] [S4-055] failures are shown at their row, behind its x icon, and as a toast', async () => {
    const { dialog } = await withRows(['ops', 'bad-1']);
    await press('Import');
    expect(await screen.findByText('1 row failed to import')).toBeTruthy();
    expect(within(dialog).getByRole('button', { name: 'Continue' })).toBeTruthy();
    expect(within(row(2)).getByText('Failed')).toBeTruthy();
    const cell = within(dialog).getByRole('button', { name: 'Name, row 2: bad-1 (failed)' });
    expect(cell.dataset['failed']).toBe('');
    const icon = within(dialog).getByRole('button', { name: 'Why row 2 failed' });
    icon.focus();
    expect(document.activeElement).toBe(icon);
    await userEvent.keyboard('{Enter}');
    const details = await screen.findByRole('dialog', { name: 'Why row 2 failed' });
    expect(
      within(details)
        .getAllByRole('listitem')
        .map((item) => item.textContent),
    ).toEqual(['Name: taken; too short', 'meta.port: high']);
  });

  test('[S4-058] [S4-057] a cell is edited by keyboard alone, and its row is imported again', async () => {
    const { dialog, bodies } = await withRows(['ops', 'bad-1', 'bad-2']);
    await press('Import');
    await within(dialog).findByRole('button', { name: 'Continue' });
    within(dialog).getByRole('button', { name: 'Name, row 2: bad-1 (failed)' }).focus();
    await userEvent.keyboard('{Enter}');
    const input = within(dialog).getByRole('textbox', { name: 'Name, row 2' });
    expect(document.activeElement).toBe(input);
    await userEvent.keyboard('{Control>}a{/Control}good{Enter}');
    const changed = within(dialog).getByRole('button', { name: 'Name, row 2: good' });
    expect(document.activeElement).toBe(changed);
    expect(within(row(2)).getByText('Pending')).toBeTruthy();
    await press('Continue');
    await waitFor(() =>
      expect(bodies.map(({ name }) => name)).toEqual(['ops', 'bad-1', 'bad-2', 'good', 'bad-2']),
    );
  });

  test('Escape undoes an edit and leaves the wizard open; blur saves it', async () => {
    const { dialog } = await withRows(['ops']);
    await userEvent.click(within(dialog).getByRole('button', { name: 'Name, row 1: ops' }));
    await userEvent.keyboard('x{Escape}');
    await userEvent.click(await within(dialog).findByRole('button', { name: 'Name, row 1: ops' }));
    await userEvent.keyboard('{Control>}a{/Control}[["a", 1]');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Kind, row 1: Team' }));
    expect(within(dialog).getByRole('button', { name: 'Name, row 1: ["a",1]' })).toBeTruthy();
  });

  test('[S4-053] [S4-054] stopped in the middle: the current row is finished, the rest waits', async () => {
    let release: (() => void) | undefined;
    const { dialog } = await withRows(['ops', 'net', 'dev']);
    server.use(
      mock.post(LIST, async () => {
        await new Promise<void>((resolve) => {
          release = resolve;
        });
        return HttpResponse.json({ id: 'x' }, { status: 201 });
      }),
    );
    await press('Import');
    expect(await within(dialog).findByText('Importing')).toBeTruthy();
    await press('Stop');
    expect(within(dialog).getByRole('button', { name: 'Continue' })).toBeTruthy();
    await waitFor(() => expect(release).toBeDefined());
    release?.();
    await waitFor(() => expect(within(dialog).getByRole('button', { name: 'Succeeded 1' })).toBeTruthy());
    expect(within(dialog).getByRole('button', { name: 'Pending 2' })).toBeTruthy();
    expect(where('POST')).toHaveLength(1);
  });

  test('a lost connection stops the run with its reason; continuing repeats that row', async () => {
    const { dialog, bodies } = await withRows(['ops', 'net', 'dev']);
    let broken = true;
    server.use(
      mock.post(LIST, async ({ request }) => {
        const body = (await request.clone().json()) as { name: string };
        if (broken && body.name === 'net') return HttpResponse.error();
        return undefined;
      }),
    );
    await press('Import');
    expect((await within(dialog).findByRole('alert')).textContent).toMatch(
      /^The import stopped: .*nothing is lost/,
    );
    expect(bodies.map(({ name }) => name)).toEqual(['ops']);
    broken = false;
    await press('Continue');
    expect(await within(dialog).findByRole('button', { name: 'Finished' })).toBeTruthy();
    expect(bodies.map(({ name }) => name)).toEqual(['ops', 'net', 'dev']);
    expect(within(dialog).queryByRole('alert')).toBeNull();
  });

  test('a lost session stops the run as well', async () => {
    const { dialog } = await withRows(['ops', 'net']);
    server.use(mock.post(LIST, () => HttpResponse.json({ code: 'not_authenticated' }, { status: 401 })));
    await press('Import');
    expect(await within(dialog).findByRole('alert')).toBeTruthy();
    expect(where('POST')).toHaveLength(1);
    expect(within(dialog).getByRole('button', { name: 'Continue' })).toBeTruthy();
  });

  test('closing during a run asks first', async () => {
    const { dialog } = await withRows(['ops', 'net']);
    server.use(mock.post(LIST, () => new Promise<never>(() => {})));
    await press('Import');
    const close = within(dialog).getAllByRole('button', { name: 'Close' }).at(-1);
    if (!close) throw new Error('no close button');
    await userEvent.click(close);
    const question = await screen.findByRole('alertdialog', { name: 'Stop the import?' });
    await userEvent.click(within(question).getByRole('button', { name: 'Continue importing' }));
    expect(screen.getByRole('button', { name: 'Stop' })).toBeTruthy();
    await userEvent.click(close);
    await userEvent.click(
      within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Stop and close' }),
    );
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
  });

  test('[S9-015] ten rows a page; before the run all rows, then those that need attention', async () => {
    const names = Array.from({ length: 23 }, (_, index) => (index === 4 ? 'bad' : `g-${index + 1}`));
    const { dialog } = await withRows(names);
    expect(within(dialog).getAllByRole('row')).toHaveLength(11);
    expect(within(dialog).getByText('1 / 3')).toBeTruthy();
    await userEvent.click(within(dialog).getByRole('button', { name: 'Next page' }));
    await userEvent.click(within(dialog).getByRole('button', { name: 'Next page' }));
    expect(within(dialog).getAllByRole('row')).toHaveLength(4);
    await press('Import');
    await screen.findByText('1 row failed to import');
    expect(within(dialog).getByRole('button', { name: 'Failed and in progress 1' }).ariaPressed).toBe('true');
    expect(within(dialog).getAllByRole('row')).toHaveLength(2);
    // The displayed page comes first.
    const order = where('POST').map(({ body }) => (JSON.parse(body) as { name: string }).name);
    expect(order.slice(0, 4)).toEqual(['g-21', 'g-22', 'g-23', 'g-1']);
    const bar = within(dialog).getByRole('progressbar', { name: 'Import progress' });
    expect(bar.getAttribute('aria-valuetext')).toBe('23 / 23');
  });

  test('failed rows are downloaded as csv, and a remedy corrects a typo', async () => {
    const blobs: Blob[] = [];
    URL.createObjectURL = (blob) => {
      if (blob instanceof Blob) blobs.push(blob);
      return 'blob:x';
    };
    const { dialog } = await withRows([], 'create', [{ name: 'bad', kind: 'teem' }]);
    server.use(mock.post(LIST, () => HttpResponse.json({ kind: ['not a choice'] }, { status: 400 })));
    await press('Import');
    await within(dialog).findByRole('button', { name: 'Continue' });
    await press('Download failed rows');
    expect(saved).toEqual([expect.objectContaining({ name: 'groups-failed.csv' })]);
    expect(blobs[0]?.size).toBeGreaterThan(20);
    await press('Set to Team');
    expect(within(dialog).getByRole('button', { name: 'Kind, row 1: Team' })).toBeTruthy();
    expect(within(row(1)).getByText('Pending')).toBeTruthy();
  });

  test('a remedy is also offered for the misspelt name of a related object', async () => {
    const { dialog } = await withRows([], 'create', [{ name: 'x', kind: 'team', parent: 'Hedquarters' }]);
    server.use(
      mock.post(LIST, () => HttpResponse.json({ parent: ['no such object'] }, { status: 400 })),
      mock.get('*/api/v1/users/parents/', () =>
        HttpResponse.json({ count: 1, next: null, results: [{ id: 'p1', name: 'Headquarters' }] }),
      ),
    );
    await press('Import');
    await userEvent.click(await within(dialog).findByRole('button', { name: 'Set to Headquarters' }));
    expect(within(dialog).getByRole('button', { name: 'Parent, row 1: p1' })).toBeTruthy();
  });

  test('[S9-017] [S9-018] a formula and a very long text are shown as text, in columns of 100 to 180 px', async () => {
    const formula = "=cmd|' /C calc'!A0";
    const { dialog } = await withRows([formula, '<img src=x onerror=alert(1)>', 'x'.repeat(500)]);
    expect(within(dialog).getByRole('button', { name: `Name, row 1: ${formula}` }).textContent).toBe(formula);
    expect(within(dialog).queryByRole('img')).toBeNull();
    const widths = [...dialog.querySelectorAll('col')].map((col) => col.style.width);
    expect(widths.slice(1, 4)).toEqual(['180px', '100px', '100px']);
  });
});
