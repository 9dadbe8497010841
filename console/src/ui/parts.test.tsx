import { render, screen, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { startI18n } from '#/lib/i18n';
import { Button } from './button';
import { confirm, ConfirmHost } from './confirm';
import { Field, TextInput } from './field';
import { MenuButton } from './menu';
import { pagesAround, Pager } from './pager';
import { Picker, type PickerOption } from './picker';
import { Table } from './table';
import { Tabs } from './tabs';
import { clearToasts, toast, ToastRegion } from './toast';
import { Tree } from './tree';

beforeAll(async () => {
  await startI18n(['ui'], 'en');
  // Imported here, so that loading does not count against the timeout of a single test.
  await import('./question-dialog');
}, 60_000);
beforeEach(clearToasts);

describe('Button', () => {
  test('a busy or disabled button keeps the focus and ignores presses', async () => {
    const press = vi.fn<() => void>();
    render(
      <>
        <Button busy onClick={press}>
          Save
        </Button>
        <Button disabledReason="Not permitted" onClick={press}>
          Delete
        </Button>
      </>,
    );
    await userEvent.tab();
    expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Save' }));
    await userEvent.keyboard('{Enter}');
    await userEvent.click(screen.getByRole('button', { name: 'Delete' }));
    expect(press).not.toHaveBeenCalled();
    expect(screen.getByRole('button', { name: 'Delete' }).title).toBe('Not permitted');
  });
});

describe('Field', () => {
  test('label, help and error belong to the control', () => {
    const { rerender } = render(
      <Field label="Name" help="As on the badge" required>
        {(control) => <TextInput {...control} />}
      </Field>,
    );
    const input = screen.getByLabelText(/Name/);
    expect(input.getAttribute('aria-required')).toBe('true');
    expect(document.getElementById(input.getAttribute('aria-describedby') ?? '')?.textContent).toBe(
      'As on the badge',
    );
    rerender(
      <Field label="Name" help="As on the badge" error="Too long">
        {(control) => <TextInput {...control} />}
      </Field>,
    );
    expect(input.getAttribute('aria-invalid')).toBe('true');
    expect(screen.getByText('Too long')).toBeTruthy();
    expect(screen.queryByText('As on the badge')).toBeNull();
  });
});

describe('MenuButton', () => {
  const run = vi.fn<(id: string) => void>();
  const entries = [
    { id: 'update', label: 'Update', run: () => run('update') },
    { id: 'clone', label: 'Clone', run: () => run('clone'), disabledReason: 'Not here' },
    { id: 'delete', label: 'Delete', run: () => run('delete') },
  ];

  test('it opens, moves, chooses and returns the focus by keyboard', async () => {
    render(
      <MenuButton label="More" entries={entries}>
        More
      </MenuButton>,
    );
    const button = screen.getByRole('button', { name: 'More' });
    button.focus();
    await userEvent.keyboard('{Enter}');
    expect(document.activeElement?.textContent).toBe('Update');
    await userEvent.keyboard('{ArrowUp}');
    expect(document.activeElement?.textContent).toBe('Delete');
    await userEvent.keyboard('{Home}c');
    expect(document.activeElement?.textContent).toContain('Clone');
    await userEvent.keyboard('{Enter}');
    expect(run).not.toHaveBeenCalled();
    await userEvent.keyboard('{End}{Enter}');
    expect(run).toHaveBeenCalledWith('delete');
    expect(screen.queryByRole('menu')).toBeNull();
    expect(document.activeElement).toBe(button);
  });

  test('Escape and a press outside close it', async () => {
    render(
      <MenuButton label="More" entries={entries}>
        More
      </MenuButton>,
    );
    await userEvent.click(screen.getByRole('button', { name: 'More' }));
    await userEvent.keyboard('{Escape}');
    expect(screen.queryByRole('menu')).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: 'More' }));
    await userEvent.click(document.body);
    expect(screen.queryByRole('menu')).toBeNull();
  });
});

describe('confirm', () => {
  test('[S5-057] focus starts on Cancel, names are shown, the confirm button repeats the verb', async () => {
    render(<ConfirmHost />);
    const answer = confirm({
      title: 'Delete 2 assets?',
      names: ['web-1', 'web-2'],
      confirmLabel: 'Delete 2',
      danger: true,
    });
    const dialog = await screen.findByRole('alertdialog', { name: 'Delete 2 assets?' });
    expect(within(dialog).getByText('web-2')).toBeTruthy();
    expect(document.activeElement).toBe(within(dialog).getByRole('button', { name: 'Cancel' }));
    await userEvent.click(within(dialog).getByRole('button', { name: 'Delete 2' }));
    expect(await answer).toBe(true);
  });

  test('a failing action keeps the question open with the reason; Escape answers no', async () => {
    render(<ConfirmHost />);
    const ask = () =>
      confirm({
        title: 'Sure?',
        confirmLabel: 'Yes',
        failed: () => 'It failed: in use',
        run: () => Promise.reject(new Error('x')),
      });
    const answer = ask();
    await userEvent.click(await screen.findByRole('button', { name: 'Yes' }));
    const dialog = screen.getByRole('alertdialog');
    expect((await within(dialog).findByRole('alert')).textContent).toBe('It failed: in use');
    await userEvent.keyboard('{Escape}');
    expect(await answer).toBe(false);
    // The next question begins without it.
    const again = ask();
    await screen.findByRole('alertdialog');
    expect(screen.queryByRole('alert')).toBeNull();
    await userEvent.keyboard('{Escape}');
    expect(await again).toBe(false);
  });

  test('the reason of a failure goes away while the action is tried again', async () => {
    render(<ConfirmHost />);
    let finish = () => {};
    let tries = 0;
    const answer = confirm({
      title: 'Sure?',
      confirmLabel: 'Yes',
      failed: () => 'It failed',
      run: () => {
        tries += 1;
        if (tries === 1) return Promise.reject(new Error('x'));
        return new Promise<void>((resolve) => {
          finish = resolve;
        });
      },
    });
    await userEvent.click(await screen.findByRole('button', { name: 'Yes' }));
    await screen.findByRole('alert');
    await userEvent.click(screen.getByRole('button', { name: 'Yes' }));
    expect(screen.queryByRole('alert')).toBeNull();
    finish();
    expect(await answer).toBe(true);
    expect(screen.queryByRole('alertdialog')).toBeNull();
  });
});

describe('Tabs', () => {
  function Two() {
    const [selected, select] = useState('a');
    return (
      <Tabs
        label="Sides"
        selected={selected}
        onSelect={select}
        tabs={[
          { id: 'a', label: 'One', content: <p>first</p> },
          { id: 'b', label: 'Two', count: 3, content: <p>second</p> },
        ]}
      />
    );
  }

  test('arrows move and show the panel', async () => {
    render(<Two />);
    screen.getByRole('tab', { name: 'One' }).focus();
    await userEvent.keyboard('{ArrowRight}');
    expect(screen.getByRole('tabpanel', { name: /Two/ }).textContent).toBe('second');
    expect(document.activeElement).toBe(screen.getByRole('tab', { name: /Two/ }));
    await userEvent.keyboard('{Home}');
    expect(screen.getByRole('tabpanel').textContent).toBe('first');
  });

  test('a selected tab behind the edge of the strip is scrolled into view', async () => {
    const place = { tablist: new DOMRect(0, 0, 200, 30), tab: new DOMRect(150, 0, 90, 30) };
    vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
      return this.getAttribute('role') === 'tablist' ? place.tablist : place.tab;
    });
    render(<Two />);
    await userEvent.click(screen.getByRole('tab', { name: /Two/ }));
    // 40 px of the tab were behind the right edge: once for the first tab, once for the second.
    expect(screen.getByRole('tablist').scrollLeft).toBe(80);
  });
});

describe('Table', () => {
  interface Row {
    id: string;
    name: string;
  }
  const rows: Row[] = [
    { id: '1', name: 'web-1' },
    { id: '2', name: 'web-2' },
  ];

  function Selectable({ onRun }: { readonly onRun: (row: Row) => void }) {
    const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
    return (
      <Table<Row>
        label="Assets"
        columns={[{ key: 'name', label: 'Name', sortable: true, cell: (row) => row.name }]}
        rows={rows}
        rowId={(row) => row.id}
        rowName={(row) => row.name}
        selection={{ chosen, onChange: setChosen }}
        actions={(row) => [
          { id: 'update', label: 'Update', run: onRun },
          { id: 'delete', label: 'Delete', run: onRun },
          // Only the second row has more than two actions.
          ...(row.id === '2' ? [{ id: 'clone', label: 'Clone', run: onRun }] : []),
        ]}
      />
    );
  }

  test('[S2-214] rows are selected one by one and all at once', async () => {
    render(<Selectable onRun={() => {}} />);
    const all = screen.getByRole<HTMLInputElement>('checkbox', { name: 'Select all on this page' });
    await userEvent.click(screen.getByRole('checkbox', { name: 'Select web-2' }));
    expect(all.indeterminate).toBe(true);
    await userEvent.click(all);
    expect(screen.getAllByRole('row', { selected: true })).toHaveLength(2);
    await userEvent.click(all);
    expect(screen.queryAllByRole('row', { selected: true })).toHaveLength(0);
  });

  test('[S6-060] two actions are both shown; of more, the first is shown and the rest are under More', async () => {
    const run = vi.fn<(row: Row) => void>();
    render(<Selectable onRun={run} />);
    await userEvent.click(screen.getByRole('button', { name: 'Delete web-1' }));
    expect(run).toHaveBeenLastCalledWith(rows[0]);
    expect(screen.queryByRole('button', { name: 'Actions of web-1' })).toBeNull();
    expect(screen.getByRole('button', { name: 'Update web-2' })).toBeTruthy();
    expect(screen.queryByRole('button', { name: 'Delete web-2' })).toBeNull();
    await userEvent.click(screen.getByRole('button', { name: 'Actions of web-2' }));
    await userEvent.click(screen.getByRole('menuitem', { name: 'Delete' }));
    expect(run).toHaveBeenLastCalledWith(rows[1]);
  });

  test('[S7-054] a column head sorts ascending, descending and not at all', async () => {
    const orders: string[] = [];
    function Ordered() {
      const [order, setOrder] = useState('');
      return (
        <Table<Row>
          label="Assets"
          columns={[{ key: 'name', label: 'Name', sortable: true, cell: (row) => row.name }]}
          rows={rows}
          rowId={(row) => row.id}
          rowName={(row) => row.name}
          order={order}
          onOrder={(next) => {
            orders.push(next);
            setOrder(next);
          }}
        />
      );
    }
    render(<Ordered />);
    const head = screen.getByRole('button', { name: 'Name' });
    for (let press = 0; press < 3; press++) await userEvent.click(head);
    expect(orders).toEqual(['name', '-name', '']);
  });
});

describe('Pager', () => {
  test('it shows at most five pages around the current one', () => {
    expect(pagesAround(1, 9)).toEqual([1, 2, 3, 4, 5]);
    expect(pagesAround(6, 9)).toEqual([4, 5, 6, 7, 8]);
    expect(pagesAround(9, 9)).toEqual([5, 6, 7, 8, 9]);
    expect(pagesAround(1, 2)).toEqual([1, 2]);
  });

  test('it offers 15, 30, 50 and 100 rows', () => {
    render(<Pager count={40} page={2} size={15} onPage={() => {}} onSize={() => {}} />);
    expect(screen.getAllByRole('option').map((option) => option.textContent)).toEqual([
      '15',
      '30',
      '50',
      '100',
    ]);
    expect(screen.getByText('16–30 of 40')).toBeTruthy();
  });
});

describe('Picker', () => {
  const options: PickerOption[] = [
    { id: '1', label: 'deploy', detail: 'ssh' },
    { id: '2', label: 'root', warn: true },
  ];

  function Choose({ multiple }: { readonly multiple: boolean }) {
    const [chosen, setChosen] = useState<readonly PickerOption[]>([]);
    return (
      <Picker
        control={{ id: 'p' }}
        label="System users"
        multiple={multiple}
        chosen={chosen}
        onChange={setChosen}
        options={options}
        total={2}
        state="ready"
        onSearch={() => {}}
        onOpenChange={() => {}}
        onNearEnd={() => {}}
      />
    );
  }

  test('several options are chosen and removed by keyboard alone', async () => {
    render(<Choose multiple />);
    const box = screen.getByRole('combobox', { name: 'System users' });
    box.focus();
    await userEvent.keyboard('{ArrowDown}{Enter}{ArrowDown}{Enter}');
    expect(screen.getByRole('button', { name: 'Remove deploy' })).toBeTruthy();
    expect(screen.getByRole('button', { name: 'Remove root' })).toBeTruthy();
    await userEvent.keyboard('{Escape}{Backspace}');
    expect(screen.queryByRole('listbox')).toBeNull();
    expect(screen.queryByRole('button', { name: 'Remove root' })).toBeNull();
  });

  test('with a single choice the list closes and shows its name', async () => {
    render(<Choose multiple={false} />);
    const box = screen.getByRole<HTMLInputElement>('combobox');
    await userEvent.click(box);
    await userEvent.click(screen.getByRole('option', { name: /root/ }));
    expect(screen.queryByRole('listbox')).toBeNull();
    expect(box.value).toBe('root');
  });
});

describe('Tree', () => {
  // jsdom has no layout: without a height no row is rendered.
  beforeEach(() => {
    vi.spyOn(Element.prototype, 'clientHeight', 'get').mockReturnValue(600);
    vi.spyOn(Element.prototype, 'clientWidth', 'get').mockReturnValue(224);
  });
  afterEach(() => {
    vi.restoreAllMocks();
  });

  const items = [
    { id: '1', label: 'Default', parentId: null, isBranch: true, count: 18 },
    { id: '1:1', label: 'East', parentId: '1', isBranch: true },
    { id: '1:2', label: 'West', parentId: '1', isBranch: false },
  ];

  function Nodes({ onSelect }: { readonly onSelect: (id: string) => void }) {
    const [open, setOpen] = useState<ReadonlySet<string>>(new Set());
    return (
      <Tree
        label="Nodes"
        items={items}
        expanded={open}
        loading={new Set()}
        selected={null}
        onExpand={(id, on) =>
          setOpen(on ? new Set([...open, id]) : new Set([...open].filter((openId) => openId !== id)))
        }
        onSelect={onSelect}
      />
    );
  }

  test('it is one tab stop; arrows expand and move without choosing, Enter chooses', async () => {
    const select = vi.fn<(id: string) => void>();
    render(<Nodes onSelect={select} />);
    await userEvent.tab();
    const tree = screen.getByRole('tree', { name: 'Nodes' });
    expect(document.activeElement).toBe(tree);
    await userEvent.keyboard('{ArrowRight}{ArrowDown}{ArrowDown}');
    expect(screen.getByRole('treeitem', { name: 'West' })).toBeTruthy();
    expect(select).not.toHaveBeenCalled();
    await userEvent.keyboard('{Enter}');
    expect(select).toHaveBeenCalledWith('1:2');
    await userEvent.keyboard('{Home}{ArrowLeft}');
    expect(screen.queryByRole('treeitem', { name: /West/ })).toBeNull();
  });

  test("an item's name is its node and count; the pointer expands it by its chevron without choosing it", async () => {
    const select = vi.fn<(id: string) => void>();
    const { container } = render(<Nodes onSelect={select} />);
    const top = screen.getByRole('treeitem', { name: /^Default ?18$/ });
    expect(within(top).queryByRole('button')).toBeNull();
    await userEvent.click(container.querySelector('[data-chevron]') as HTMLElement);
    expect(screen.getByRole('treeitem', { name: 'East' })).toBeTruthy();
    expect(top.getAttribute('aria-expanded')).toBe('true');
    expect(select).not.toHaveBeenCalled();
  });

  test('with boxes an item says whether it is ticked, and selecting it is left to the caller', async () => {
    const select = vi.fn<(id: string) => void>();
    const state = { '1': 'some', '1:1': 'off', '1:2': 'on' } as const;
    render(
      <Tree
        label="Nodes"
        items={items}
        expanded={new Set(['1'])}
        loading={new Set()}
        selected={null}
        boxOf={(id) => state[id as keyof typeof state]}
        onExpand={() => undefined}
        onSelect={select}
      />,
    );
    expect(screen.getByRole('tree').getAttribute('aria-multiselectable')).toBe('true');
    const checked = screen.getAllByRole('treeitem').map((item) => item.getAttribute('aria-checked'));
    expect(checked).toEqual(['mixed', 'false', 'true']);
    await userEvent.click(screen.getByText('West'));
    expect(select).toHaveBeenCalledWith('1:2');
  });
});

describe('toast', () => {
  test('the same text twice is one toast', async () => {
    render(<ToastRegion />);
    toast({ tone: 'error', text: 'No' });
    toast({ tone: 'error', text: 'No' });
    expect(await screen.findAllByText('No')).toHaveLength(1);
  });
});
