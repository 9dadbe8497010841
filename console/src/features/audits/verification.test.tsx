import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { expect, test, vi } from 'vitest';
import { recordedServer } from '#/test/recorded';
import { renderScreen } from '#/test/render';
import { VerificationStatus } from './VerificationStatus';

const NEVER = {
  is_waiting: false,
  is_running: false,
  is_interrupted: false,
  date_finished: null,
  records: null,
  faults: null,
  first_faults: [],
};
const WHOLE = { ...NEVER, date_finished: '2026/11/22 15:40:00 +0000', records: 2_184_290, faults: 0 };
const FAULTY = {
  ...WHOLE,
  faults: 22,
  first_faults: [
    { kind: 'edited', kind_display: 'Record of the log was edited', place: '#3' },
    { kind: 'edited', kind_display: 'Record of the log was edited', place: '#4' },
  ],
};
let answers: object[] = [];

const { sent } = recordedServer(() => [
  mock.get('*/api/v1/audits/verification/', () =>
    HttpResponse.json(answers.length > 1 ? answers.shift() : answers[0]),
  ),
  mock.post('*/api/v1/audits/verification/', () =>
    HttpResponse.json({ ...NEVER, is_waiting: true }, { status: 202 }),
  ),
]);

async function show(...states: object[]) {
  answers = states;
  const finished = vi.fn();
  await renderScreen(<VerificationStatus onFinished={finished} />, {
    address: '/audits/events',
    pattern: '/audits/events',
  });
  return finished;
}

test('an intact log shows the time of verification and the number of records', async () => {
  await show(WHOLE);
  const status = await screen.findByText('Audit chain intact');
  expect(status.parentElement?.textContent).toContain('2,184,290 records verified');
  expect(screen.getByRole('button', { name: 'Verify again' })).toBeTruthy();
});

test('a new verification shows each step, sends one request, and refreshes the list at its end', async () => {
  const finished = await show(NEVER, { ...NEVER, is_running: true }, WHOLE);
  await userEvent.click(await screen.findByRole('button', { name: 'Verify' }));
  expect(await screen.findByText('Waiting to verify…')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Verify' }));
  expect(finished).not.toHaveBeenCalled();
  expect(await screen.findByText('Verifying the audit chain…', {}, { timeout: 5_000 })).toBeTruthy();
  expect(await screen.findByText('Audit chain intact', {}, { timeout: 5_000 })).toBeTruthy();
  await waitFor(() => expect(finished).toHaveBeenCalledTimes(1));
  expect(sent('POST', 'audits/verification/')).toHaveLength(1);
}, 20_000);

test('faults are counted, and the first ones are named', async () => {
  await show(FAULTY);
  expect(await screen.findByText('22 faults found')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Show faults' }));
  const named = screen.getAllByRole('listitem').map((item) => item.textContent);
  expect(named).toEqual([
    'Record of the log was edited #3',
    'Record of the log was edited #4',
    'and 20 more',
  ]);
});

test('a verification whose worker was killed is not shown as running', async () => {
  await show({ ...NEVER, is_interrupted: true, date_finished: WHOLE.date_finished });
  expect(await screen.findByText('Last verification was not completed')).toBeTruthy();
  expect(screen.getByRole('button', { name: 'Verify again' }).getAttribute('aria-busy')).toBeNull();
});
