import { screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { expect, test, vi } from 'vitest';
import { renderScreen } from '#/test/render';
import { ActionsField } from './ActionsField';

async function open(value: readonly string[]) {
  const onChange = vi.fn();
  const input = { id: 'actions', label: 'Actions', value, onChange, disabled: false, describedBy: undefined };
  await renderScreen(<ActionsField input={input as never} />, {
    address: '/',
    pattern: '/',
    texts: ['perms'],
  });
  await screen.findByRole('checkbox', { name: 'All' });
  return onChange;
}
const box = (name: string) => screen.getByRole<HTMLInputElement>('checkbox', { name });

test('all actions do not include port forwarding', async () => {
  const onChange = await open(['all']);
  expect(box('All').checked).toBe(true);
  expect(box('Port forwarding to the host').checked).toBe(false);
  await userEvent.click(box('Port forwarding to the host'));
  expect(onChange.mock.calls[0]?.[0]).toContain('all');
  expect(onChange.mock.calls[0]?.[0].at(-1)).toBe('forward');
});

test('the box of all actions leaves port forwarding as it is', async () => {
  const onChange = await open(['all', 'forward']);
  await userEvent.click(box('All'));
  expect(onChange).toHaveBeenCalledWith(['forward']);
});
