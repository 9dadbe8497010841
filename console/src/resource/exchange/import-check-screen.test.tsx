import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { describe, expect, test } from 'vitest';
import {
  CHECK,
  csv,
  LIST,
  openMenu,
  rendered,
  saved,
  sent,
  server,
  TITLE,
  tried,
  where,
} from '#/test/exchange-rig';

type Row = Readonly<Record<string, unknown>>;

/** What the server says about a row, by its name. */
function judged(row: Row): object {
  const name = String(row['name']);
  const refused = (more: object) => ({ outcome: 'refused', errors: { name: [`no “${name}”`] }, ...more });
  if (name === 'bad') return refused({});
  if (name === 'hedquarters')
    return refused({ corrections: [{ field: 'name', value: 'headquarters', label: 'headquarters' }] });
  if (name === 'dba') return refused({ taken_by: { id: 'g1', name: 'dba' } });
  return { outcome: 'create', unique: [{ fields: ['name'], value: `digest ${name}` }] };
}

async function withRows(names: readonly string[], file = csv()) {
  server.use(
    mock.post('*/users/groups/render-to-json/', () => HttpResponse.json(rendered(names))),
    mock.post(CHECK, async ({ request }) => HttpResponse.json(((await request.json()) as Row[]).map(judged))),
    mock.put(CHECK, async ({ request }) =>
      HttpResponse.json(
        ((await request.json()) as Row[]).map(({ id }) => ({
          outcome: 'update',
          id,
          changes: { kind: { before: 'shift', after: 'team' }, comment: { is_secret: true } },
        })),
      ),
    ),
    mock.post(LIST, () => HttpResponse.json({ id: 'new' }, { status: 201 })),
    mock.put('*/api/v1/users/groups/:id/', () => HttpResponse.json({ id: 'g1' })),
  );
  const { dialog } = await openMenu('Import');
  await userEvent.upload(screen.getByLabelText('Choose file', { selector: 'input' }), file);
  await within(dialog).findByText(/^Check finished/);
  const find = within(dialog);
  return { dialog, find };
}
const row = (number: number) => screen.getByRole('row', { name: new RegExp(`^${number} `) });
const press = (name: string | RegExp) => userEvent.click(screen.getByRole('button', { name }));

describe('import: the check', () => {
  test('nothing is written before the import, which leaves out the wrong rows', async () => {
    const { find } = await withRows(['ops', 'bad', 'net']);
    expect(tried.map(({ query }) => query)).toEqual([{ dry_run: '1' }]);
    expect(where('POST')).toEqual([]);
    expect(find.getByText('Check finished: 2 create, 0 update, 1 cannot be imported')).toBeTruthy();
    // The wrong rows are shown first.
    expect(find.getByRole('button', { name: 'Cannot be imported 1' }).ariaPressed).toBe('true');
    expect(within(row(2)).getByText('Name: no “bad”')).toBeTruthy();
    await press('Create 2');
    expect(find.getAllByRole('row')).toHaveLength(3);
    expect(within(row(3)).getByText('Will be created')).toBeTruthy();
    await press('Import 2, leave out 1');
    expect(await screen.findByText('1 row failed to import')).toBeTruthy();
    expect(where('POST').map(({ body }) => (JSON.parse(body) as Row)['name'])).toEqual(['ops', 'net']);
  });

  test('a wrong cell is corrected by keyboard: Enter takes the text and goes to the next wrong cell', async () => {
    const { find } = await withRows(['bad', 'ops', 'bad']);
    find.getByRole('button', { name: 'Name, row 1: bad (failed)' }).focus();
    await userEvent.keyboard('{Enter}{Control>}a{/Control}first{Enter}');
    expect(document.activeElement).toBe(find.getByRole('button', { name: 'Name, row 3: bad (failed)' }));
    // The row is checked again and stays where it was.
    expect(await within(row(1)).findByText('Will be created')).toBeTruthy();
    expect(find.getByRole('button', { name: 'Cannot be imported 1' })).toBeTruthy();
    await userEvent.keyboard('{Enter}{Control>}a{/Control}third{Enter}');
    expect(await within(row(3)).findByText('Will be created')).toBeTruthy();
    expect(find.getByRole('button', { name: 'Import' })).toBeTruthy();
  });

  test.each([
    [['hedquarters', 'dbx'], 'The wrong row has one obvious correction.'],
    [['hedquarters', 'dba'], 'Each of the 2 wrong rows has one obvious correction.'],
    [['hedquarters', 'bad'], '1 of the 2 wrong rows has one obvious correction.'],
  ])('wrong rows are counted in a sentence that fits their number: %s', async (names, sentence) => {
    const { find } = await withRows(names);
    expect(find.getByText(sentence)).toBeTruthy();
  });

  test('one obvious correction is accepted alone, or all of them at once', async () => {
    const { find } = await withRows(['hedquarters', 'dba', 'bad', 'hedquarters']);
    expect(find.getByText('3 of the 4 wrong rows have one obvious correction.')).toBeTruthy();
    await userEvent.click(within(row(1)).getByRole('button', { name: 'Use headquarters' }));
    expect(await within(row(1)).findByText('Will be created')).toBeTruthy();
    expect(within(row(2)).getByText('Name: taken by dba')).toBeTruthy();
    expect(within(row(2)).getByRole('button', { name: 'Update dba' })).toBeTruthy();
    await press('Accept 2 corrections');
    expect(await within(row(2)).findByText('Will change: Kind, Comment')).toBeTruthy();
    // Row 4 is now the same as row 1.
    expect(await within(row(4)).findByText(/^Name: row 1 has the same value/)).toBeTruthy();
    await press('Import 2, leave out 2');
    await screen.findByText('2 rows failed to import');
    const puts = sent.filter(({ method }) => method === 'PUT');
    expect(puts.map(({ path }) => path)).toEqual(['users/groups/g1/']);
  });

  test('updates are compared value by value; secrets are only named', async () => {
    const { find } = await withRows(['dba']);
    await press('Accept 1 correction');
    expect(await find.findByText(/1 update changes 1 Kind, 1 Comment\./)).toBeTruthy();
    await press('Compare');
    const comparison = await screen.findByRole('dialog', { name: '2 values change' });
    const lines = within(comparison)
      .getAllByRole('row')
      .map((line) => [...line.children].map((cell) => cell.textContent));
    expect(lines).toEqual([
      ['Row', 'Column', 'Before', 'After'],
      ['1', 'Kind', 'Shift', 'Team'],
      ['1', 'Comment', '—', 'replaced'],
    ]);
  });

  test('wrong rows are downloaded in the format of the file', async () => {
    const blobs: Blob[] = [];
    URL.createObjectURL = (blob) => {
      if (blob instanceof Blob) blobs.push(blob);
      return 'blob:x';
    };
    await withRows(['bad', 'ops'], csv('groups.xlsx'));
    await press('Download wrong rows');
    expect(saved).toEqual([expect.objectContaining({ name: 'groups-wrong.xlsx' })]);
    const bytes = new Uint8Array((await blobs[0]?.arrayBuffer()) ?? new ArrayBuffer(0));
    expect(String.fromCharCode(...bytes.slice(0, 2))).toBe('PK');
    const text = new TextDecoder().decode(bytes);
    for (const [heading] of TITLE) expect(text).toContain(`>${heading}<`);
    expect(text).toContain('>bad<');
    // The file is in the language of the console, so its choices are too.
    expect(text).toContain('>Team<');
    expect(text).not.toContain('>ops<');
  });

  test('a check that cannot go on says why, can be repeated, and does not prevent the import', async () => {
    let broken = true;
    server.use(mock.post('*/users/groups/render-to-json/', () => HttpResponse.json(rendered(['ops']))));
    const { dialog } = await openMenu('Import');
    server.use(
      mock.post(CHECK, () =>
        broken
          ? HttpResponse.json({ detail: 'Try later.', code: 'unavailable' }, { status: 503 })
          : HttpResponse.json([{ outcome: 'create', unique: [] }]),
      ),
    );
    await userEvent.upload(screen.getByLabelText('Choose file', { selector: 'input' }), csv());
    expect((await within(dialog).findByRole('alert')).textContent).toContain('The check stopped:');
    expect(within(dialog).getByText('Not checked')).toBeTruthy();
    expect(within(dialog).getByRole('button', { name: 'Import' })).toBeTruthy();
    broken = false;
    await press('Check again');
    expect(await within(dialog).findByText('Will be created')).toBeTruthy();
    await waitFor(() => expect(within(dialog).queryByRole('alert')).toBeNull());
  });

  test('while rows are being checked the import waits, and says so', async () => {
    server.use(
      mock.post('*/users/groups/render-to-json/', () => HttpResponse.json(rendered(['ops']))),
      mock.post(CHECK, () => new Promise<never>(() => {})),
    );
    const { dialog } = await openMenu('Import');
    await userEvent.upload(screen.getByLabelText('Choose file', { selector: 'input' }), csv());
    expect(await within(dialog).findByRole('progressbar', { name: 'Check progress' })).toBeTruthy();
    await press('Import');
    expect(where('POST')).toEqual([]);
    expect(within(dialog).getByText('Checking')).toBeTruthy();
  });
});
