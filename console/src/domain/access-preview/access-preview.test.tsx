import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { delay, http as mock, HttpResponse } from 'msw';
import { describe, expect, test } from 'vitest';
import type { FormValues } from '#/resource/define';
import { previewOf } from '#/test/previews';
import { recordedServer } from '#/test/recorded';
import { renderScreen } from '#/test/render';
import { confirm } from '#/ui/confirm';
import {
  AccessPreview,
  accessEffect,
  bulkEffect,
  deactivationEffect,
  formImpact,
  importEffect,
} from './effects';
import type { AccessChange } from './preview';

const { server, sent } = recordedServer(
  () => [],
  () => [
    import('./AccessPreview'),
    import('./EndingSessions'),
    import('./ImportAccess'),
    import('./FormImpact'),
    import('#/ui/question-dialog'),
  ],
);
const URL = '*/api/v1/perms/preview/';
const change: AccessChange = { object: 'user_group', action: 'delete', id: 'g1' };
const shown = <AccessPreview changes={[change]} />;

describe('preview of access', () => {
  test('it says who gains and loses what, and what is new with every right', async () => {
    const answer = previewOf({ gained: [14, 212, 900], lost: [1, 3, 3], asRoot: [2, 3, 6] });
    server.use(mock.post(URL, () => HttpResponse.json(answer)));
    await renderScreen(shown);
    expect(await screen.findByText('Gain: 14 people → 212 assets')).toBeTruthy();
    expect(screen.getByText('Loss: 1 person → 3 assets')).toBeTruthy();
    expect(screen.getByText('New with every right: 2 people → 3 assets as root of web')).toBeTruthy();
    expect(sent('POST', 'perms/preview/')[0]?.body).toEqual({ changes: [change] });
    await userEvent.click(screen.getByRole('button', { name: 'Show the list' }));
    const dialog = await screen.findByRole('dialog', { name: 'Who gains and loses access' });
    expect(within(dialog).getByRole('link', { name: 'Li (li)' })).toBeTruthy();
    expect(within(dialog).getByText('+212 −3')).toBeTruthy();
    expect(within(dialog).getByRole('link', { name: 'web-1' })).toBeTruthy();
    await userEvent.click(await within(dialog).findByRole('button', { name: 'Show more' }));
    expect(await within(dialog).findAllByRole('link', { name: 'web-1' })).toHaveLength(2);
  });

  test.each([
    ['a change without effect', previewOf({}), 200, 'Nobody gains or loses access.'],
    [
      'a change of accounts only',
      previewOf({ asRoot: [1, 1, 1] }),
      200,
      'The same people keep the same access, with other accounts.',
    ],
    ['a change that its write would refuse', { detail: 'no', code: 'x' }, 400, /could not be worked out/],
  ])('%s is told', async (_name, answer, status, text) => {
    server.use(mock.post(URL, () => HttpResponse.json(answer, { status })));
    await renderScreen(shown);
    expect(await screen.findByText(text)).toBeTruthy();
  });

  test('more changes than the server takes at once are not sent', async () => {
    await renderScreen(<>{accessEffect(Array.from({ length: 1_001 }, () => change))}</>);
    expect(await screen.findByText(/at most 1000 objects/)).toBeTruthy();
    expect(sent('POST', 'perms/preview/')).toEqual([]);
  });
});

describe('a change that is confirmed before its preview has answered', () => {
  test('nothing compares what is gone; a change that fails is compared anew', async () => {
    const abandoned: boolean[] = [];
    server.use(
      mock.post(URL, async ({ request }) => {
        if (sent('POST', 'perms/preview/').length === 1) {
          request.signal.addEventListener('abort', () => abandoned.push(true));
          await delay('infinite');
        }
        return HttpResponse.json(previewOf({ lost: [1, 3, 3] }));
      }),
    );
    await renderScreen(<p>page</p>);
    let fail = (_why: Error) => {};
    const run = () => new Promise((_done, failed) => (fail = failed));
    const answer = confirm({ title: 'Delete it?', confirmLabel: 'Yes', extra: accessEffect([change]), run });
    await screen.findByText('Working out who gains and loses access…');
    await waitFor(() => expect(sent('POST', 'perms/preview/')).toHaveLength(1));
    await userEvent.click(screen.getByRole('button', { name: 'Yes' }));
    await waitFor(() => expect(abandoned).toEqual([true]));
    expect(sent('POST', 'perms/preview/')).toHaveLength(1);
    fail(new Error('in use'));
    expect(await screen.findByText('Loss: 1 person → 3 assets')).toBeTruthy();
    await userEvent.keyboard('{Escape}');
    expect(await answer).toBe(false);
  });
});

describe('before people or assets are deactivated', () => {
  const session = { id: 's1', user: 'Li (li)', asset: 'web-1', system_user: 'root' };

  test('the sessions that end are named, the others are counted', async () => {
    server.use(
      mock.post(URL, () => HttpResponse.json(previewOf({ lost: [2, 3, 3] }))),
      mock.get('*/api/v1/terminal/sessions/', () => HttpResponse.json({ count: 7, results: [session] })),
    );
    await renderScreen(<>{deactivationEffect('user', ['u1', 'u2'])}</>);
    expect(await screen.findByText('7 live sessions end:')).toBeTruthy();
    expect(screen.getByText(/root@web-1/)).toBeTruthy();
    expect(screen.getByText('and 6 more')).toBeTruthy();
    expect(await screen.findByText('Loss: 2 people → 3 assets')).toBeTruthy();
    const [asked] = sent('GET', 'terminal/sessions/');
    expect(Object.fromEntries(asked?.query ?? [])).toMatchObject({ is_finished: '0', user_id__in: 'u1,u2' });
  });

  test('sessions that cannot be loaded are not taken for none', async () => {
    server.use(
      mock.post(URL, () => HttpResponse.json(previewOf({}))),
      mock.get('*/api/v1/terminal/sessions/', () => HttpResponse.json({ detail: 'no' }, { status: 500 })),
    );
    await renderScreen(<>{deactivationEffect('asset', ['a1'])}</>);
    expect(await screen.findByText(/The live sessions could not be loaded/)).toBeTruthy();
    expect(screen.queryByText('No live session ends.')).toBeNull();
  });
});

test('an import says what it does to access, new people included', async () => {
  server.use(mock.post(URL, () => HttpResponse.json(previewOf({ gained: [14, 212, 900] }))));
  const rows = [
    { id: 'u1', values: {}, changes: [{ field: 'is_active', before: false, after: true }] },
    { id: null, values: { name: 'New', phone: '1', groups: ['web'] }, changes: [] },
  ];
  await renderScreen(<>{importEffect('user')(rows)}</>);
  expect(await screen.findByText('Gain: 14 people → 212 assets')).toBeTruthy();
  expect(sent('POST', 'perms/preview/')[0]?.body).toEqual({
    changes: [
      { object: 'user', action: 'update', id: 'u1', values: { is_active: true } },
      { object: 'user', action: 'create', values: { name: 'New', groups: ['web'] } },
    ],
  });
});

describe('beside a form', () => {
  const impact = (object: 'user' | 'user_group' | 'asset', values: FormValues, id?: string) =>
    renderScreen(<>{formImpact(object)({ values, id, mode: id === undefined ? 'create' : 'update' })}</>);
  const asked = async () => {
    await screen.findByText('Loss: 1 person → 3 assets');
    return sent('POST', 'perms/preview/')[0]?.body;
  };

  test('what decides access is sent as far as it is typed', async () => {
    server.use(
      mock.post(URL, () => HttpResponse.json(previewOf({ lost: [1, 3, 3] }))),
      mock.get('*/api/v1/terminal/sessions/', () => HttpResponse.json({ count: 0, results: [] })),
    );
    const values = {
      hostname: 'web-1',
      comment: 'x',
      is_active: false,
      nodes: [],
      protocols: ['ssh/22', 'rdp/'],
    };
    await impact('asset', values, 'a1');
    expect(await asked()).toEqual({
      changes: [
        { object: 'asset', action: 'update', id: 'a1', values: { is_active: false, protocols: ['ssh/22'] } },
      ],
    });
    expect(await screen.findByText('No live session ends.')).toBeTruthy();
  });

  test('a new person counts by their groups; no permission names a new group', async () => {
    server.use(mock.post(URL, () => HttpResponse.json(previewOf({ lost: [1, 3, 3] }))));
    await impact('user_group', { name: 'web', users: ['u1'] });
    await impact('user', {
      name: 'Li',
      username: 'li',
      email: 'x@y',
      is_active: true,
      date_expired: '',
      groups: ['g1'],
    });
    expect(await asked()).toEqual({
      changes: [
        {
          object: 'user',
          action: 'create',
          values: { name: 'Li', username: 'li', is_active: true, date_expired: null, groups: ['g1'] },
        },
      ],
    });
    expect(sent('POST', 'perms/preview/')).toHaveLength(1);
  });

  test('the list says what is new, and has no link to it', async () => {
    const answer = previewOf({ gained: [1, 1, 1] });
    const [person] = answer.people.results;
    if (person === undefined) throw new Error('nobody');
    const told = { ...answer, people: { count: 1, results: [{ ...person, id: null }] } };
    server.use(mock.post(URL, () => HttpResponse.json(told)));
    await impact('user', { name: 'Li', groups: ['g1'] });
    await userEvent.click(await screen.findByRole('button', { name: 'Show the list' }));
    const dialog = await screen.findByRole('dialog', { name: 'Who gains and loses access' });
    expect(within(dialog).queryByRole('link', { name: 'Li (li)' })).toBeNull();
    expect(within(dialog).getByText('new')).toBeTruthy();
  });
});

test('a bulk edit asks only when it decides access', async () => {
  server.use(mock.post(URL, () => HttpResponse.json(previewOf({ lost: [1, 3, 3] }))));
  expect(bulkEffect('user')(['u1'], { comment: 'x' })).toBeNull();
  await renderScreen(<>{bulkEffect('user')(['u1', 'u2'], { comment: 'x', groups: ['g1'] })}</>);
  await screen.findByText('Loss: 1 person → 3 assets');
  expect(sent('POST', 'perms/preview/')[0]?.body).toEqual({
    changes: ['u1', 'u2'].map((id) => ({ object: 'user', action: 'update', id, values: { groups: ['g1'] } })),
  });
});
