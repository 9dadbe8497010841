import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { act } from 'react';
import { expect, test } from 'vitest';
import { changeLanguage } from '#/lib/i18n';
import { renderScreen } from '#/test/render';
import { confirm } from './confirm';
import { PageHeader } from './page';
import { clearToasts, toastSucceeded } from './toast';

test('[S2-200] [S2-201] [S2-202] it has a heading with a slot on its right, the green help message, and the content', async () => {
  await renderScreen(
    <>
      <PageHeader title="Labels" actions={<button type="button">Create</button>} help="Labels group assets" />
      <p>content</p>
    </>,
  );
  const heading = await screen.findByRole('heading', { level: 1, name: 'Labels' });
  const slot = screen.getByRole('button', { name: 'Create' });
  const help = screen.getByText('Labels group assets');
  const content = screen.getByText('content');
  const follows = (a: Node, b: Node) =>
    (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  expect(follows(heading, slot) && follows(slot, help) && follows(help, content)).toBe(true);
  expect(slot.parentElement?.className).toContain('grow flex-wrap items-center justify-end');
  expect(heading.closest('header')?.contains(slot)).toBe(true);
  expect(help.parentElement?.className).toContain('bg-ok-soft');
  expect(document.activeElement).toBe(heading);
});

test('without a text there is no green message', async () => {
  await renderScreen(<PageHeader title="Labels" />);
  await screen.findByRole('heading', { level: 1, name: 'Labels' });
  expect(document.querySelector('.bg-ok-soft')).toBeNull();
});

test("the text after an object's name is muted, and the heading reads as one text", async () => {
  await renderScreen(<PageHeader title="db-01 (192.0.2.31)" lead="db-01" />);
  const heading = await screen.findByRole('heading', { level: 1, name: 'db-01 (192.0.2.31)' });
  expect(heading.querySelector('.text-ink-2')?.textContent).toBe('(192.0.2.31)');
});

test("a title that only starts like the object's name is not split", async () => {
  await renderScreen(<PageHeader title="db-011" lead="db-01" />);
  const heading = await screen.findByRole('heading', { level: 1, name: 'db-011' });
  expect(heading.querySelector('.text-ink-2')).toBeNull();
});

test('[S8-050] a question without button texts has Cancel and Confirm, in both languages', async () => {
  await renderScreen(<p>here</p>);
  await screen.findByText('here');
  const ask = async (yes: string, no: string) => {
    let answer: Promise<boolean> | undefined;
    act(() => {
      answer = confirm({ title: 'Sure?' });
    });
    expect(await screen.findByRole('button', { name: no }, { timeout: 60_000 })).toBeTruthy();
    await userEvent.click(screen.getByRole('button', { name: yes }));
    await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
    return answer;
  };
  expect(await ask('Confirm', 'Cancel')).toBe(true);
  await act(() => changeLanguage('zh'));
  expect(await ask('确定', '取消')).toBe(true);
});

test('[S8-049] [S1-006] success without a message is "operation succeeded", 操作成功 in Chinese', async () => {
  await renderScreen(<p>here</p>);
  await screen.findByText('here');
  act(() => toastSucceeded());
  expect(await screen.findByText('operation succeeded')).toBeTruthy();
  await act(() => changeLanguage('zh'));
  act(() => toastSucceeded());
  expect(await screen.findByText('操作成功')).toBeTruthy();
  act(clearToasts);
});
