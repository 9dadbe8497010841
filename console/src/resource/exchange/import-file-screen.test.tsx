import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { describe, expect, test } from 'vitest';
import {
  csv,
  exports,
  groups,
  LIST,
  openMenu,
  rendered,
  renderScreen,
  saved,
  server,
  TITLE,
  where,
} from '#/test/exchange-rig';
import { adminSession } from '#/test/render';
import { ResourceList } from '../list/ResourceList';

describe('import: the file', () => {
  const choose = (files: File | File[]) =>
    userEvent.upload(screen.getByLabelText('Choose file', { selector: 'input' }), files, {
      applyAccept: false,
    });

  test('[S7-067] [S7-068] [S7-069] it is posted unchanged to render-to-json, and title and data become the table', async () => {
    server.use(
      mock.post('*/users/groups/render-to-json/', () => HttpResponse.json(rendered(['ops', 'net']))),
    );
    const { dialog } = await openMenu('Import');
    await choose(csv());
    expect(await within(dialog).findByRole('columnheader', { name: /^Name/ })).toBeTruthy();
    await within(dialog).findByText(/^Check finished/);
    const [post] = where('POST', 'users/groups/render-to-json/');
    expect(post?.headers.get('Content-Type')).toBe('text/csv');
    expect(post?.body).toBe('*Name\nops\n');
    expect(within(dialog).getByRole('button', { name: 'Name, row 2: net' })).toBeTruthy();
    expect(within(dialog).getByText(/2 rows/)).toBeTruthy();
  });

  test('[S3-070] [S7-068] an xlsx file is sent as text/xlsx', async () => {
    server.use(mock.post('*/users/groups/render-to-json/', () => HttpResponse.json(rendered(['ops']))));
    const { dialog } = await openMenu('Import');
    await choose(csv('groups.xlsx'));
    await within(dialog).findByRole('columnheader', { name: /^Name/ });
    await within(dialog).findByText(/^Check finished/);
    expect(where('POST', 'users/groups/render-to-json/')[0]?.headers.get('Content-Type')).toBe('text/xlsx');
  });

  test('[S5-032] [S5-036] another format is highlighted with help, and nothing is sent', async () => {
    const { dialog } = await openMenu('Import');
    await choose(csv('groups.txt'));
    expect(within(dialog).getByText(/groups\.txt is neither \.csv nor \.xlsx\. Save it/)).toBeTruthy();
    expect(within(dialog).getByText('One file, .csv or .xlsx').dataset['broken']).toBe('true');
    expect(within(dialog).getByText('At most 10 MB').dataset['broken']).toBeUndefined();
    expect(where('POST', 'users/groups/render-to-json/')).toHaveLength(0);
  });

  test('[S5-035] [S5-037] too large a file highlights the current limit', async () => {
    const { dialog } = await openMenu('Import', {
      session: { ...adminSession, settings: { IMPORT_MAX_MB: 1 } },
    });
    await choose(csv('big.csv', 'x'.repeat(1024 * 1024 + 1)));
    expect(within(dialog).getByText(/big\.csv has 1\.0 MB, more than the 1 MB/)).toBeTruthy();
    expect(within(dialog).getByText('At most 1 MB').dataset['broken']).toBe('true');
    expect(within(dialog).getByText('One file, .csv or .xlsx').dataset['broken']).toBeUndefined();
  });

  test('[S5-033] two dropped files are refused, one is accepted', async () => {
    server.use(mock.post('*/users/groups/render-to-json/', () => HttpResponse.json(rendered(['ops']))));
    const { dialog } = await openMenu('Import');
    const zone = within(dialog).getByText('Drop a file here or').parentElement;
    if (!zone) throw new Error('no place to drop');
    const drop = (files: File[]) => {
      const event = new Event('drop', { bubbles: true, cancelable: true });
      Object.assign(event, { dataTransfer: { files } });
      zone.dispatchEvent(event);
    };
    drop([csv('a.csv'), csv('b.csv')]);
    expect(await within(dialog).findByText(/2 files were dropped/)).toBeTruthy();
    expect(screen.getByLabelText('Choose file', { selector: 'input' })).toHaveProperty('multiple', false);
    drop([csv('a.csv')]);
    expect(await within(dialog).findByRole('button', { name: 'Name, row 1: ops' })).toBeTruthy();
  });

  test('[S8-032] for a file that the server cannot read, the error is shown below the uploader', async () => {
    server.use(
      mock.post('*/users/groups/render-to-json/', () =>
        HttpResponse.json({ error: 'No row with a value' }, { status: 400 }),
      ),
    );
    const { dialog } = await openMenu('Import');
    await choose(csv());
    const note = await within(dialog).findByText('No row with a value');
    const button = within(dialog).getByRole('button', { name: 'Choose file' });
    expect(button.compareDocumentPosition(note) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
    expect(screen.queryByRole('alertdialog')).toBeNull();
  });

  test('a file without a known column, and unknown columns in another, are reported', async () => {
    server.use(
      mock.post('*/users/groups/render-to-json/', () =>
        HttpResponse.json({ title: [['Colour', '']], data: [{}] }),
      ),
    );
    const { dialog } = await openMenu('Import');
    await choose(csv());
    expect(await within(dialog).findByText(/No column of the file belongs to a field/)).toBeTruthy();
    server.use(
      mock.post('*/users/groups/render-to-json/', () =>
        HttpResponse.json({ title: [...TITLE, ['Colour', '']], data: [{ name: 'ops' }] }),
      ),
    );
    await choose(csv());
    expect(await within(dialog).findByText(/left out: Colour/)).toBeTruthy();
    await within(dialog).findByText(/^Check finished/);
  });

  test('[S7-072] [S7-073] [S7-074] templates are downloaded', async () => {
    const { dialog } = await openMenu('Import');
    await userEvent.click(within(dialog).getByRole('button', { name: 'csv' }));
    await waitFor(() => expect(saved).toHaveLength(1));
    expect(exports()[0]?.query).toEqual({ format: 'csv', template: 'import', limit: '1' });
    await userEvent.click(within(dialog).getByRole('radio', { name: 'Update existing objects' }));
    await userEvent.click(within(dialog).getByRole('button', { name: 'xlsx' }));
    await waitFor(() => expect(saved).toHaveLength(2));
    expect(exports()[1]?.query).toEqual({ format: 'xlsx', template: 'update', limit: '1' });
  });

  test('[S7-074] the update template of selected rows uses their spm', async () => {
    await renderScreen(<ResourceList resource={groups()} />);
    await userEvent.click(await screen.findByRole('checkbox', { name: 'Select web' }));
    await userEvent.click(screen.getByRole('button', { name: 'Import and export' }));
    await userEvent.click(screen.getByRole('menuitem', { name: 'Import' }));
    const dialog = await screen.findByRole('dialog');
    await userEvent.click(within(dialog).getByRole('radio', { name: 'Update existing objects' }));
    expect(within(dialog).getByText(/1 selected object/)).toBeTruthy();
    await userEvent.click(within(dialog).getByRole('button', { name: 'csv' }));
    await waitFor(() => expect(saved).toHaveLength(1));
    expect(exports()[0]?.query).toEqual({ format: 'csv', template: 'update', spm: 'spm-1' });
  });

  test('a failed template download is reported', async () => {
    const { dialog } = await openMenu('Import');
    server.use(mock.get(LIST, () => HttpResponse.json({ error: 'no templates today' }, { status: 500 })));
    await userEvent.click(within(dialog).getByRole('button', { name: 'csv' }));
    expect(await screen.findByText('The template was not downloaded: no templates today')).toBeTruthy();
  });
});
