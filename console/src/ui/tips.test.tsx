import { act, render, screen } from '@testing-library/react';
import { useState } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { GRACE_MS, WAIT_MS } from './tip-watch';
import { Tips } from './tips';

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  // What jsdom lacks.
  globalThis.DOMRect ??= class {
    constructor(
      readonly left = 0,
      readonly top = 0,
      readonly width = 0,
      readonly height = 0,
    ) {}
    get right() {
      return this.left + this.width;
    }
    get bottom() {
      return this.top + this.height;
    }
  } as unknown as typeof DOMRect;
});
afterEach(() => vi.useRealTimers());

const tip = () => document.querySelector('[data-tip-box]');
const wait = (ms: number) => act(() => vi.advanceTimersByTimeAsync(ms));
const button = (name: string) => screen.getByRole<HTMLButtonElement>('button', { name });

let x = 0;
/** Moves the pointer to an element; `still`: the element has moved under the resting pointer. */
function pointer(element: Element, still = false): void {
  if (!still) x += 10;
  const where = { bubbles: true, clientX: x, clientY: 5 };
  act(() => {
    element.dispatchEvent(new MouseEvent('pointerover', where));
    if (!still) element.dispatchEvent(new MouseEvent('pointermove', where));
  });
}

function Page() {
  const [reason, setReason] = useState<string | undefined>('Offline');
  return (
    <>
      <button type="button" title="Refresh (R)">
        refresh
      </button>
      <button type="button" title={reason} onClick={() => setReason(undefined)}>
        save
      </button>
      <span title="read in full">read in full</span>
      <p>elsewhere</p>
      <Tips />
    </>
  );
}
const show = () => render(<Page />);

test('after a delay the pointer gets the title, and the browser shows none of its own', async () => {
  show();
  pointer(button('refresh'));
  expect(button('refresh').title).toBe('');
  await wait(WAIT_MS - 1);
  expect(tip()).toBeNull();
  await wait(1);
  expect(tip()?.textContent).toBe('Refresh (R)');
  pointer(screen.getByText('elsewhere'));
  expect(button('refresh').title).toBe('Refresh (R)');
  await wait(GRACE_MS);
  expect(tip()).toBeNull();
});

test('it stays while the pointer is on it', async () => {
  show();
  pointer(button('refresh'));
  await wait(WAIT_MS);
  pointer(screen.getByText('elsewhere'));
  await wait(GRACE_MS - 1);
  pointer(tip() as Element);
  await wait(10 * WAIT_MS);
  expect(tip()?.textContent).toBe('Refresh (R)');
  // Back on the button and on the tooltip again.
  pointer(button('refresh'));
  await wait(10 * WAIT_MS);
  expect(tip()?.textContent).toBe('Refresh (R)');
  pointer(tip() as Element);
  expect(button('refresh').title).toBe('Refresh (R)');
  pointer(screen.getByText('elsewhere'));
  await wait(GRACE_MS);
  expect(tip()).toBeNull();
});

test.each([
  ['Escape', () => document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }))],
  ['pressing', () => button('refresh').dispatchEvent(new MouseEvent('pointerdown', { bubbles: true }))],
  ['scrolling', () => window.dispatchEvent(new Event('scroll'))],
])('%s puts it away, and it does not come back by itself', async (_, dismiss) => {
  show();
  pointer(button('refresh'));
  await wait(WAIT_MS);
  expect(tip()).not.toBeNull();
  act(() => void dismiss());
  expect(tip()).toBeNull();
  pointer(button('refresh'));
  await wait(10 * WAIT_MS);
  expect(tip()).toBeNull();
  expect(document.activeElement).toBe(document.body);
});

test('a press before the delay cancels it', async () => {
  show();
  pointer(button('refresh'));
  await wait(WAIT_MS - 1);
  button('refresh').dispatchEvent(new MouseEvent('pointerdown', { bubbles: true }));
  await wait(WAIT_MS);
  expect(tip()).toBeNull();
});

test('a page that moves under the pointer shows nothing', async () => {
  show();
  pointer(screen.getByText('elsewhere'));
  pointer(button('refresh'), true);
  await wait(10 * WAIT_MS);
  expect(tip()).toBeNull();
});

test('a completely visible title is not repeated, a truncated one is shown', async () => {
  show();
  const text = screen.getByText('read in full');
  pointer(text);
  await wait(WAIT_MS);
  expect(tip()).toBeNull();
  pointer(screen.getByText('elsewhere'));
  vi.spyOn(text, 'clientWidth', 'get').mockReturnValue(40);
  vi.spyOn(text, 'scrollWidth', 'get').mockReturnValue(80);
  pointer(text);
  await wait(WAIT_MS);
  expect(tip()?.textContent).toBe('read in full');
});

test('a title that changes or is removed meanwhile is not restored', async () => {
  show();
  pointer(button('save'));
  await act(async () => button('save').click());
  pointer(screen.getByText('elsewhere'));
  expect(button('save').hasAttribute('title')).toBe(false);
});

test('the tooltip closes when its element is removed', async () => {
  const { rerender } = render(
    <>
      <button type="button" title="Refresh (R)">
        refresh
      </button>
      <Tips />
    </>,
  );
  pointer(button('refresh'));
  await wait(WAIT_MS);
  expect(tip()).not.toBeNull();
  rerender(
    <>
      <p>other</p>
      <Tips />
    </>,
  );
  await wait(0);
  expect(tip()).toBeNull();
});

test('keyboard focus shows it as well; Escape and blur close it', async () => {
  show();
  const focus = async (name: string) => {
    const element = button(name);
    const matches = element.matches.bind(element);
    vi.spyOn(element, 'matches').mockImplementation(
      (selector) => selector === ':focus-visible' || matches(selector),
    );
    act(() => element.focus());
    await wait(WAIT_MS);
  };
  await focus('refresh');
  expect(tip()?.textContent).toBe('Refresh (R)');
  expect(button('refresh').title).toBe('Refresh (R)');
  act(() => void document.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape' })));
  expect(tip()).toBeNull();
  await focus('save');
  expect(tip()?.textContent).toBe('Offline');
  act(() => button('save').blur());
  expect(tip()).toBeNull();
});
