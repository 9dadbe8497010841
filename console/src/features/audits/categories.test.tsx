import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { expect, test } from 'vitest';
import { pageOf, recordedServer } from '#/test/recorded';
import { renderScreen } from '#/test/render';
import { EventListPage } from './EventListPage';

const CHOICES = [
  { value: 'viewing', display_name: 'Evidence viewed' },
  { value: 'refusals', display_name: 'Failed and refused' },
  { value: 'messages', display_name: 'Messages' },
];
const category = { type: 'choice', label: 'Category', required: false, read_only: true, choices: CHOICES };
const count = (value: string, number: number, isMinimum = false) => ({
  value,
  display_name: value,
  count: number,
  count_is_minimum: isMinimum,
});

const { sent } = recordedServer(() => [
  mock.options('*/api/v1/audits/events/', () =>
    HttpResponse.json({ name: 'events', actions: { GET: { category } } }),
  ),
  mock.get('*/api/v1/audits/events/', () => HttpResponse.json(pageOf([]))),
  mock.get('*/api/v1/audits/verification/', () =>
    HttpResponse.json({ date_finished: null, first_faults: [] }),
  ),
  mock.get('*/api/v1/audits/events/categories/', () =>
    HttpResponse.json([count('viewing', 17), count('refusals', 999, true), count('messages', 0)]),
  ),
]);

test('each category shows its number of events under the other conditions of the list', async () => {
  await renderScreen(<EventListPage />, {
    address: '/audits/events?category=viewing&user=Ann(ann)',
    pattern: '/audits/events',
  });
  expect(await screen.findByRole('button', { name: /^Evidence viewed\s*17$/ })).toBeTruthy();
  expect(screen.getByRole('button', { name: /^Failed and refused\s*999\+$/ })).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Messages' })).toBeTruthy();
  await waitFor(() => expect(sent('GET', 'audits/events/categories/')).not.toHaveLength(0));
  const asked = sent('GET', 'audits/events/categories/').at(-1)?.query;
  expect(asked?.get('user')).toBe('Ann(ann)');
  expect(asked?.has('date_from')).toBe(true);
  expect(asked?.has('category')).toBe(false);
  const before = sent('GET', 'audits/events/categories/').length;
  await userEvent.click(screen.getByRole('button', { name: 'Refresh' }));
  await waitFor(() => expect(sent('GET', 'audits/events/categories/')).toHaveLength(before + 1));
});
