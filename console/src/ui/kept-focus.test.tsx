import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useRef } from 'react';
import { expect, test } from 'vitest';
import { createPortal } from 'react-dom';
import { LIST_AREA, useKeptFocus } from './kept-focus';

function List({ names }: { readonly names: readonly string[] }) {
  const list = useRef<HTMLDivElement>(null);
  useKeptFocus(list);
  return (
    <>
      <button type="button">Outside</button>
      <div ref={list}>
        <ul>
          {names.map((name) => (
            <li key={name}>
              <button type="button">{name}</button>
            </li>
          ))}
        </ul>
        {names.length === 0 && <button type="button">Create</button>}
      </div>
    </>
  );
}

const focused = () => document.activeElement?.textContent;

test.each([
  ['the row that takes its place', 'b', ['a', 'c'], 'c'],
  ['the last row', 'c', ['a', 'b'], 'b'],
  ['what stands there instead of rows', 'b', [], 'Create'],
])('when its row is removed, the focus moves to %s', async (_title, name, left, next) => {
  const { rerender } = render(<List names={['a', 'b', 'c']} />);
  screen.getByRole('button', { name }).focus();
  rerender(<List names={left} />);
  await waitFor(() => expect(focused()).toBe(next));
});

test('focus that is already elsewhere stays there', async () => {
  const { rerender } = render(<List names={['a', 'b']} />);
  screen.getByRole('button', { name: 'a' }).focus();
  screen.getByRole('button', { name: 'Outside' }).focus();
  rerender(<List names={['b']} />);
  await Promise.resolve();
  expect(focused()).toBe('Outside');
});

test('a press outside of the list ends the tracking', async () => {
  const { rerender } = render(<List names={['a', 'b']} />);
  screen.getByRole('button', { name: 'a' }).focus();
  await userEvent.click(document.body);
  rerender(<List names={['b']} />);
  await Promise.resolve();
  expect(document.activeElement).toBe(document.body);
});

/** A list whose selection bar asks in a dialog before it deletes. */
function Selected({ names, isAsking }: { readonly names: readonly string[]; readonly isAsking: boolean }) {
  return (
    <div {...LIST_AREA}>
      {names.length > 1 && <button type="button">Delete 2</button>}
      <List names={names} />
      {isAsking &&
        createPortal(
          <div role="dialog">
            <button type="button">Yes</button>
          </div>,
          document.body,
        )}
    </div>
  );
}

test.each([
  ['a row that is left', ['c'], 'c'],
  ['what stands there instead of rows', [], 'Create'],
])('after a bulk action from a dialog the focus moves to %s', async (_title, left, next) => {
  const { rerender } = render(<Selected names={['a', 'b', 'c']} isAsking={false} />);
  screen.getByRole('button', { name: 'Delete 2' }).focus();
  rerender(<Selected names={['a', 'b', 'c']} isAsking />);
  screen.getByRole('button', { name: 'Yes' }).focus();
  rerender(<Selected names={left} isAsking />);
  await Promise.resolve();
  expect(focused()).toBe('Yes');
  rerender(<Selected names={left} isAsking={false} />);
  await waitFor(() => expect(focused()).toBe(next));
});
