import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import {
  dialog,
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
import { adminSession, renderScreen, rootOrg } from '#/test/render';
import { ShowCell } from '../format';
import { DeleteCell } from './DeleteCell';
import { GenericTable } from './GenericTable';
import { pageSource } from './row-source';
import { defaultWrites } from './row-writes';

servePlans();

describe('trees', () => {
  interface Node {
    id: string;
    name: string;
    parentId?: string;
    children?: Node[];
  }
  const nodes: Node[] = [
    { id: '1', name: 'East', children: [{ id: '2', name: 'Shanghai' }] },
    { id: '3', name: 'West' },
    { id: '4', name: 'Chengdu', parentId: '3' },
  ];
  const tree = (
    <GenericTable<Node>
      label="Nodes"
      noun="node"
      source={pageSource('plans/')}
      columns={[{ key: 'name', label: 'Name' }]}
      rowName={(row) => row.name}
      writes={defaultWrites('plans/')}
      dialog={dialog}
      paginated={false}
      tree={{}}
    />
  );

  test('[S3-074] rows are shown below their parent, with children as well as with parentId', async () => {
    server.use(mock.get(URL_OF, () => HttpResponse.json({ payload: { content: nodes, totalElements: 4 } })));
    await renderScreen(tree);
    const names = () =>
      screen
        .getAllByRole('row')
        .slice(1)
        .map((row) => row.querySelector('td')?.textContent);
    await screen.findByText('East');
    expect(names()).toEqual(['East', 'West']);
    for (const button of screen.getAllByRole('button', { name: 'Expand' })) await userEvent.click(button);
    expect(names()).toEqual(['East', 'Shanghai', 'West', 'Chengdu']);
    await userEvent.click(screen.getAllByRole('button', { name: 'Collapse' })[0] as HTMLElement);
    expect(names()).toEqual(['East', 'West', 'Chengdu']);
  });

  test('[S7-076] a new row below another sends the parent key', async () => {
    server.use(
      mock.get(URL_OF, () => HttpResponse.json({ payload: { content: nodes, totalElements: 4 } })),
      mock.post(URL_OF, () => HttpResponse.json({ id: '9' }, { status: 201 })),
    );
    await renderScreen(tree);
    await userEvent.click(await screen.findByRole('button', { name: 'Actions of West' }));
    await userEvent.click(screen.getByRole('menuitem', { name: 'Create below' }));
    await userEvent.type(await screen.findByLabelText(/Name/), 'Xi’an{Enter}');
    await waitFor(() => expect(sent('POST')[0]?.body).toEqual({ name: 'Xi’an', parentId: '3' }));
  });
});

describe('editable cells', () => {
  const edited = vi.fn<(row: Plan, key: string, value: unknown) => void>();
  beforeEach(async () => {
    edited.mockReset();
    rig.stored = [{ id: '1', name: 'one', state: 'off' }];
    serve(pageAnswer);
    await renderScreen(
      table({
        columns: [
          { key: 'name', label: 'Name' },
          { key: 'state', label: 'State', editable: true },
        ],
        onCellChange: edited,
      }),
    );
  });
  const open = async () => {
    await userEvent.click(await screen.findByRole('button', { name: /^Edit one State/ }));
    const input = screen.getByRole('textbox', { name: 'one State' });
    expect(document.activeElement).toBe(input);
    await userEvent.clear(input);
    return input;
  };

  test('[S4-073] [S4-074] [S4-076] a click opens it, Enter saves the text as JSON', async () => {
    await userEvent.type(await open(), '[[1,true]{Enter}');
    expect(screen.queryByRole('textbox', { name: 'one State' })).toBeNull();
    expect(edited).toHaveBeenCalledExactlyOnceWith(rig.stored[0], 'state', [1, true]);
    expect(screen.getByRole('button', { name: 'Edit one State: 1, true' })).toBeTruthy();
  });

  test('[S4-075] [S4-077] blur saves the text, as a string when it is not JSON', async () => {
    await userEvent.type(await open(), 'on call');
    await userEvent.tab();
    expect(screen.queryByRole('textbox', { name: 'one State' })).toBeNull();
    expect(edited).toHaveBeenCalledExactlyOnceWith(rig.stored[0], 'state', 'on call');
  });

  test('a value changed by another person in the meantime replaces the typed text', async () => {
    await userEvent.type(await open(), 'on call');
    await userEvent.tab();
    expect(screen.getByRole('button', { name: 'Edit one State: on call' })).toBeTruthy();
    rig.stored = rig.stored.map((row) => ({ ...row, state: 'idle' }));
    await userEvent.click(screen.getByRole('button', { name: 'Refresh' }));
    expect(await screen.findByRole('button', { name: 'Edit one State: idle' })).toBeTruthy();
  });

  test('Escape discards the change', async () => {
    await userEvent.type(await open(), 'x{Escape}');
    expect(edited).not.toHaveBeenCalled();
    expect(screen.getByRole('button', { name: 'Edit one State: off' })).toBeTruthy();
  });
});

describe('formatters', () => {
  test('[S4-078] a show formatter reveals its value only after a click on Show', async () => {
    const load = vi.fn<() => Promise<string>>().mockResolvedValue('s3cret');
    await renderScreen(<ShowCell load={load} />);
    const show = await screen.findByRole('button', { name: 'Show' });
    expect(screen.queryByText('s3cret')).toBeNull();
    expect(load).not.toHaveBeenCalled();
    await userEvent.click(show);
    expect(await screen.findByText('s3cret')).toBeTruthy();
  });

  const remove = (objects?: 'all' | readonly string[]) => (
    <DeleteCell deleteUrl="groups/x/members/" value="u7" name="li" objects={objects} onDeleted={gone} />
  );
  const gone = vi.fn<() => void>();
  const button = () => screen.findByRole('button', { name: 'Delete li' });

  test('[S7-078] [S8-026] the delete formatter sends DELETE to its deleteUrl with the value appended', async () => {
    server.use(mock.delete('*/api/v1/groups/x/members/u7', () => new HttpResponse(null, { status: 204 })));
    await renderScreen(remove());
    await userEvent.click(await button());
    await userEvent.click(await screen.findByRole('button', { name: 'Delete' }));
    expect(await screen.findByText('li deleted')).toBeTruthy();
    expect(sent('DELETE')[0]?.path).toBe('/api/v1/groups/x/members/u7');
    expect(gone).toHaveBeenCalledOnce();
  });

  test('[S6-053] the delete button is disabled in the root organization', async () => {
    await renderScreen(remove(), { session: { ...adminSession, organization: rootOrg } });
    expect((await button()).getAttribute('aria-disabled')).toBe('true');
    await userEvent.click(await button());
    expect(screen.queryByRole('alertdialog')).toBeNull();
  });

  test('[S6-055] [S6-056] the delete button is disabled unless its value is among the permitted objects, or all are permitted', async () => {
    const first = await renderScreen(remove(['u1', 'u2']));
    expect((await button()).getAttribute('aria-disabled')).toBe('true');
    first.unmount();
    const second = await renderScreen(remove(['u1', 'u7']));
    expect((await button()).getAttribute('aria-disabled')).toBeNull();
    second.unmount();
    const third = await renderScreen(remove('all'));
    expect((await button()).getAttribute('aria-disabled')).toBeNull();
    third.unmount();
    await renderScreen(remove());
    expect((await button()).getAttribute('aria-disabled')).toBeNull();
  });
});
