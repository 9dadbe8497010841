import { render, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useState } from 'react';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type Language, startI18n } from '#/lib/i18n';
import { DateTimeInput } from './DateTimeInput';
import { expiryShortcuts } from './shortcuts';
import { SpanInput } from './SpanInput';
import type { DateBounds, DateKind } from './typed';

const start = (language: Language) => startI18n(['ui', 'dates', 'resource'], language);
beforeEach(() => start('en'));

function Field({
  value: first = '2026-11-20T15:45',
  kind,
  bounds,
}: {
  readonly value?: string;
  readonly kind?: DateKind;
  readonly bounds?: DateBounds;
}) {
  const [value, setValue] = useState(first);
  return (
    <>
      <DateTimeInput
        aria-label="Expires"
        calendarLabel="Expires"
        kind={kind}
        bounds={bounds}
        value={value}
        onChange={setValue}
        shortcuts={expiryShortcuts(() => '')}
      />
      <output>{value === '' ? 'never' : value}</output>
    </>
  );
}

const value = () => screen.getByRole('status', { hidden: true }).textContent;
const field = () => screen.getByRole<HTMLInputElement>('textbox', { name: 'Expires' });

/** Opens the calendar from the field by keyboard. */
async function open() {
  field().focus();
  await userEvent.keyboard('{Alt>}{ArrowDown}{/Alt}');
  return screen.findByRole('dialog', { name: 'Choose Expires' });
}

const focusedDay = () => document.activeElement?.getAttribute('aria-label') ?? '';

describe('one instant, by keyboard alone', () => {
  test('the calendar opens on the chosen day; Escape keeps the value and returns the focus', async () => {
    render(<Field />);
    await open();
    await waitFor(() => expect(focusedDay()).toContain('November 20, 2026'));
    await userEvent.keyboard('{ArrowRight}{Escape}');
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(value()).toBe('2026-11-20T15:45');
  });

  test.each([
    ['{ArrowRight}', 'November 21, 2026'],
    ['{ArrowLeft}', 'November 19, 2026'],
    ['{ArrowDown}', 'November 27, 2026'],
    ['{ArrowUp}', 'November 13, 2026'],
    ['{PageDown}', 'December 20, 2026'],
    ['{PageUp}', 'October 20, 2026'],
    ['{Shift>}{PageDown}{/Shift}', 'November 20, 2027'],
    ['{Home}', 'November 1, 2026'],
    ['{End}', 'November 30, 2026'],
  ])('%s goes to %s', async (key, day) => {
    render(<Field />);
    await open();
    await waitFor(() => expect(focusedDay()).toContain('November 20, 2026'));
    await userEvent.keyboard(key);
    await waitFor(() => expect(focusedDay()).toContain(day));
  });

  test('a new day keeps the time until another is typed, and Apply takes both', async () => {
    render(<Field />);
    const dialog = await open();
    await waitFor(() => expect(focusedDay()).toContain('November 20, 2026'));
    await userEvent.keyboard('{ArrowRight}{Enter}');
    expect(value()).toBe('2026-11-20T15:45');
    const time = within(dialog).getByRole('textbox', { name: 'Time' });
    await userEvent.clear(time);
    await userEvent.type(time, '0930{Enter}');
    expect(value()).toBe('2026-11-21T09:30');
    expect(field().value).toBe('2026-11-21 09:30');
    expect(screen.queryByRole('dialog')).toBeNull();
  });

  test('an invalid time is refused in the calendar', async () => {
    render(<Field />);
    const dialog = await open();
    const time = within(dialog).getByRole('textbox', { name: 'Time' });
    await userEvent.clear(time);
    await userEvent.type(time, '25:00{Enter}');
    expect(within(dialog).getByRole('alert').textContent).toBe(
      'There is no time 25:00. Times are 00:00 to 23:59.',
    );
    expect(value()).toBe('2026-11-20T15:45');
  });

  test('the time zone is shown', async () => {
    render(<Field />);
    const dialog = await open();
    const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
    expect(within(dialog).getByText(new RegExp(`^Times are in ${timeZone} \\(GMT`))).toBeTruthy();
  });
});

test.each([
  ['In 30 days', '2026-12-21T08:00'],
  ['In 90 days', '2027-02-19T08:00'],
  ['In 1 year', '2027-11-21T08:00'],
  ['No end', 'never'],
])('the shortcut %s is taken at once', async (name, taken) => {
  vi.useFakeTimers({ toFake: ['Date'], now: new Date(2026, 10, 21, 8, 0) });
  render(<Field />);
  const dialog = await open();
  await userEvent.click(within(dialog).getByRole('button', { name }));
  expect(value()).toBe(taken);
  expect(screen.queryByRole('dialog')).toBeNull();
  vi.useRealTimers();
});

test('days before the earliest cannot be chosen, and on the earliest day the minutes count', async () => {
  render(<Field value="2026-11-06T10:00" bounds={{ min: new Date(2026, 10, 5, 9, 30) }} />);
  const dialog = await open();
  expect(
    within(dialog)
      .getByRole('button', { name: /November 4, 2026/ })
      .getAttribute('aria-disabled'),
  ).toBe('true');
  await userEvent.click(within(dialog).getByRole('button', { name: /November 5, 2026/ }));
  const time = within(dialog).getByRole('textbox', { name: 'Time' });
  await userEvent.clear(time);
  await userEvent.type(time, '09:29');
  await userEvent.click(within(dialog).getByRole('button', { name: 'Apply' }));
  expect(within(dialog).getByRole('alert').textContent).toBe('Too early. The earliest is 2026-11-05 09:30.');
});

test('a day without a time is taken on click', async () => {
  render(<Field kind="date" value="2026-11-20" />);
  const dialog = await open();
  expect(within(dialog).queryByRole('textbox', { name: 'Time' })).toBeNull();
  await userEvent.click(within(dialog).getByRole('button', { name: /November 9, 2026/ }));
  expect(value()).toBe('2026-11-09');
});

test.each([
  ['en', 'Sun', 'Choose Expires'],
  ['zh', '周一', '选择Expires'],
] as const)('in %s the week begins with %s', async (language, weekday, name) => {
  await start(language);
  render(<Field />);
  field().focus();
  await userEvent.keyboard('{Alt>}{ArrowDown}{/Alt}');
  const dialog = await screen.findByRole('dialog', { name });
  expect(dialog.querySelector('thead th')?.textContent).toBe(weekday);
});

describe('a span', () => {
  function Span({ onTyped }: { readonly onTyped: (span: object) => void }) {
    return (
      <SpanInput
        span={{ from: new Date(2026, 10, 3), to: new Date(2026, 10, 9, 23, 59) }}
        label="Time range"
        labels={{ from: 'From', to: 'To' }}
        times={{ from: '00:00', to: '23:59' }}
        shortcuts={[]}
        onTyped={onTyped}
        onSpan={onTyped}
      />
    );
  }

  test('a typed end before the start is refused with a message; Escape restores the old value', async () => {
    const onTyped = vi.fn();
    render(<Span onTyped={onTyped} />);
    const to = screen.getByRole<HTMLInputElement>('textbox', { name: 'To' });
    await userEvent.clear(to);
    await userEvent.type(to, '2026-11-02{Enter}');
    expect(screen.getByRole('alert').textContent).toContain('The end is before the start');
    expect(to.getAttribute('aria-invalid')).toBe('true');
    expect(onTyped).not.toHaveBeenCalled();
    await userEvent.keyboard('{Escape}');
    expect(to.value).toBe('2026-11-09 23:59');
  });

  test('both days are chosen with the arrow keys', async () => {
    const onTyped = vi.fn();
    render(<Span onTyped={onTyped} />);
    screen.getByRole('textbox', { name: 'From' }).focus();
    await userEvent.keyboard('{Alt>}{ArrowDown}{/Alt}');
    const dialog = await screen.findByRole('dialog', { name: 'Time range' });
    await waitFor(() => expect(focusedDay()).toContain('November 3, 2026'));
    // After the first day the focus moves to the following day.
    await userEvent.keyboard('{ArrowRight}{Enter}{ArrowDown}{Enter}');
    await userEvent.click(within(dialog).getByRole('button', { name: 'Apply' }));
    expect(onTyped).toHaveBeenCalledWith({ from: '2026-11-04T00:00', to: '2026-11-12T23:59' });
  });
});
