import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { beforeEach, expect, test } from 'vitest';
import { recordedServer } from '#/test/recorded';
import { adminSession, renderScreen } from '#/test/render';
import { AboutTab } from './AboutTab';
import { SettingsPage } from './SettingsPage';

const SETTING = '*/api/v1/settings/setting/';

function stateOf(name: string, category: string, more: object = {}) {
  return {
    name,
    category,
    section: 'Server',
    is_long: false,
    effect: 'at once',
    is_secret: false,
    is_set: false,
    variable: '',
    set_by: '',
    date_set: null,
    is_broken: false,
    ...more,
  };
}

const settings = [
  stateOf('SITE_URL', 'basic'),
  stateOf('EMAIL_HOST', 'email'),
  stateOf('EMAIL_PORT', 'email', { variable: 'POSTERN_SET_EMAIL_PORT' }),
  stateOf('EMAIL_HOST_PASSWORD', 'email', { is_secret: true, is_set: true }),
  stateOf('EMAIL_USE_SSL', 'email', { is_broken: true }),
  stateOf('SIGN_IN_WAYS', 'security'),
  stateOf('WECOM_CORPID', 'wecom'),
  stateOf('WECOM_SECRET', 'wecom', { is_secret: true }),
];
const text = { type: 'string', required: true, read_only: false, max_length: 100 };
const fields = {
  SITE_URL: { ...text, type: 'url', label: 'Site URL' },
  EMAIL_HOST: { ...text, label: 'SMTP host' },
  EMAIL_PORT: { ...text, label: 'SMTP port' },
  EMAIL_HOST_PASSWORD: { ...text, required: false, write_only: true, label: 'SMTP password' },
  EMAIL_USE_SSL: { type: 'boolean', required: false, read_only: false, label: 'Use SSL' },
  SIGN_IN_WAYS: {
    type: 'list',
    required: false,
    read_only: false,
    label: 'Ways',
    child: {
      type: 'choice',
      required: true,
      read_only: false,
      choices: [
        { value: 'password', display_name: 'Password' },
        { value: 'passkey', display_name: 'Passkey' },
        { value: 'openid', display_name: 'OpenID' },
      ],
    },
  },
  WECOM_CORPID: { ...text, label: 'corpid' },
  WECOM_SECRET: { ...text, required: false, write_only: true, label: 'secret' },
};

let stored: Record<string, unknown>;
let version: number;
beforeEach(() => {
  stored = { SITE_URL: 'https://gate.test', EMAIL_HOST: 'old.test', EMAIL_PORT: '465', EMAIL_USE_SSL: true };
  stored['SIGN_IN_WAYS'] = ['password', 'passkey', 'openid'];
  version = 7;
});

const { server, sent } = recordedServer(() => [
  mock.options(SETTING, () => HttpResponse.json({ name: 'settings', actions: { PATCH: fields } })),
  mock.get(`${SETTING}state/`, () => HttpResponse.json({ version, settings })),
  mock.get(SETTING, () => HttpResponse.json(stored)),
  mock.get('*/api/v1/settings/public/', () => HttpResponse.json({ data: {} })),
  mock.patch(SETTING, async ({ request }) => {
    stored = { ...stored, ...((await request.json()) as object) };
    version += 1;
    return HttpResponse.json(stored);
  }),
]);

const about = {
  version: '0.1.0',
  api_level: '1',
  python: '3.11',
  system: 'Linux',
  database: 'SQLite 3',
  redis: '7',
  time_zone: 'UTC',
  secret_store: 'database',
  free_mb: 2048,
  parts: [],
  broken_settings: [{ name: 'SECURITY_MAX_IDLE_TIME', title: 'Idle time', category: 'security' }],
};

const TEXTS = ['settings', 'licence'];

async function show(tab: string) {
  await renderScreen(<SettingsPage />, {
    address: `/settings?activeTab=${tab}`,
    pattern: '/settings',
    texts: TEXTS,
  });
  return screen.findByRole('form');
}

test('only what was changed is saved, with the version that was loaded', async () => {
  const form = await show('email');
  const host = within(form).getByRole('textbox', { name: /SMTP host/ });
  expect(screen.getByRole('button', { name: 'No changes' }).getAttribute('aria-disabled')).toBe('true');
  await userEvent.clear(host);
  await userEvent.type(host, 'new.test');
  expect(form.textContent).toContain('Saved value: old.test');
  expect(within(screen.getByRole('navigation')).getByText('1 unsaved')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Save 1 change' }));
  await screen.findByRole('button', { name: 'No changes' });
  const [patch] = sent('PATCH', 'settings/setting/');
  expect(patch?.body).toEqual({ EMAIL_HOST: 'new.test' });
  expect(Object.fromEntries(patch?.query ?? [])).toEqual({ category: 'email', version: '7' });
  expect(form.textContent).not.toContain('Not saved');
});

test('forms that do not load leave the other parts in reach, and load on another try', async () => {
  server.use(
    mock.get(`${SETTING}state/`, () => HttpResponse.json({ detail: 'broken' }, { status: 500 }), {
      once: true,
    }),
    mock.get('*/api/v1/settings/about/', () => HttpResponse.json(about)),
  );
  await renderScreen(<SettingsPage />, {
    address: '/settings?activeTab=email',
    pattern: '/settings',
    texts: TEXTS,
  });
  await screen.findByText('The settings could not be loaded');
  const nav = screen.getByRole('navigation');
  await userEvent.click(within(nav).getByRole('button', { name: 'About' }));
  await screen.findByText('SQLite 3');
  await userEvent.click(within(nav).getByRole('button', { name: 'Mail server' }));
  await userEvent.click(screen.getByRole('button', { name: 'Retry' }));
  expect(await screen.findByRole('form')).toBeTruthy();
});

test('a value goes back to the saved one', async () => {
  const form = await show('email');
  await userEvent.click(within(form).getByRole('switch', { name: 'Use SSL' }));
  expect(form.textContent).toContain('Saved value: on');
  await userEvent.click(within(form).getByRole('button', { name: 'Restore' }));
  await waitFor(() => expect(form.textContent).not.toContain('Not saved'));
});

test('a setting that the environment fixes is locked and names its variable', async () => {
  const form = await show('email');
  expect(within(form).getByRole<HTMLInputElement>('textbox', { name: /SMTP port/ }).disabled).toBe(true);
  expect(form.textContent).toContain('POSTERN_SET_EMAIL_PORT');
});

test('a setting whose stored value cannot be used says so, and the value that applies can be stored', async () => {
  const form = await show('email');
  expect(form.textContent).toContain('This applies instead: on');
  await userEvent.click(within(form).getByRole('button', { name: 'Store the value that applies' }));
  await waitFor(() => expect(sent('PATCH', 'settings/setting/')[0]?.body).toEqual({ EMAIL_USE_SSL: true }));
});

test('the page about names settings that cannot be used, with the way to their form', async () => {
  server.use(mock.get('*/api/v1/settings/about/', () => HttpResponse.json(about)));
  await renderScreen(<AboutTab />, { address: '/settings', pattern: '/settings', texts: TEXTS });
  const link = await screen.findByRole('link', { name: 'Security › Idle time' });
  expect(link.getAttribute('href')).toBe('/settings?activeTab=security');
  expect(screen.getByText('SECURITY_MAX_IDLE_TIME')).toBeTruthy();
});

test('a stored secret is not shown and can be replaced', async () => {
  const form = await show('email');
  expect(within(form).getByDisplayValue('Set; it is never shown')).toBeTruthy();
  await userEvent.click(within(form).getByRole('button', { name: 'Replace' }));
  await userEvent.type(within(form).getByLabelText(/SMTP password/), 'horse');
  await userEvent.click(screen.getByRole('button', { name: 'Save 1 change' }));
  await waitFor(() =>
    expect(sent('PATCH', 'settings/setting/')[0]?.body).toEqual({ EMAIL_HOST_PASSWORD: 'horse' }),
  );
});

test('a stored secret is removed with null', async () => {
  const form = await show('email');
  await userEvent.click(within(form).getByRole('button', { name: 'Remove the secret' }));
  await userEvent.click(within(form).getByRole('button', { name: 'Keep it' }));
  expect(screen.getByRole('button', { name: 'No changes' })).toBeTruthy();
  await userEvent.click(within(form).getByRole('button', { name: 'Remove the secret' }));
  expect(within(form).getByDisplayValue('Removed when saved')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Save 1 change' }));
  await waitFor(() =>
    expect(sent('PATCH', 'settings/setting/')[0]?.body).toEqual({ EMAIL_HOST_PASSWORD: null }),
  );
});

test('when somebody else has saved meanwhile, the own change is kept until the settings are loaded again', async () => {
  const form = await show('email');
  server.use(
    mock.patch(SETTING, () =>
      HttpResponse.json(
        { detail: 'Li has changed these settings.', code: 'settings_changed' },
        { status: 409 },
      ),
    ),
  );
  const host = within(form).getByRole<HTMLInputElement>('textbox', { name: /SMTP host/ });
  await userEvent.clear(host);
  await userEvent.type(host, 'mine.test');
  await userEvent.click(screen.getByRole('button', { name: 'Save 1 change' }));
  expect((await screen.findByRole('alert')).textContent).toContain('Li has changed these settings.');
  stored = { ...stored, EMAIL_HOST: 'theirs.test' };
  version = 9;
  await userEvent.click(screen.getByRole('button', { name: 'Load again and keep my changes' }));
  await waitFor(() => expect(form.textContent).toContain('Saved value: theirs.test'));
  expect(host.value).toBe('mine.test');
});

test('the search finds a setting of another form and opens it', async () => {
  await show('email');
  await userEvent.type(screen.getByRole('searchbox', { name: /Find a setting/ }), 'site');
  await userEvent.click(await screen.findByRole('button', { name: /Site URL/ }));
  expect(await screen.findByRole('textbox', { name: /Site URL/ })).toBeTruthy();
});

test('a test mail is sent with values that are not saved, and its answer is shown', async () => {
  const form = await show('email');
  let tested: unknown;
  server.use(
    mock.post('*/api/v1/settings/mail/testing/', async ({ request }) => {
      tested = await request.json();
      return HttpResponse.json({ error: 'The server refuses the password.' }, { status: 400 });
    }),
  );
  const host = within(form).getByRole('textbox', { name: /SMTP host/ });
  await userEvent.clear(host);
  await userEvent.type(host, 'new.test');
  await userEvent.click(screen.getByRole('button', { name: 'Send test mail' }));
  expect((await screen.findByRole('alert')).textContent).toContain('The server refuses the password.');
  expect(tested).toMatchObject({ EMAIL_HOST: 'new.test', EMAIL_HOST_PASSWORD: '' });
  expect(sent('PATCH', 'settings/setting/')).toEqual([]);
});

test('[S8-046] the refusal of a provider test is shown once, beside the form, and in no toast', async () => {
  const form = await show('wecom');
  let tested: unknown;
  server.use(
    mock.post('*/api/v1/settings/wecom/testing/', async ({ request }) => {
      tested = await request.json();
      return HttpResponse.json({ error: 'WeCom refuses the secret.' }, { status: 400 });
    }),
  );
  await userEvent.type(within(form).getByRole('textbox', { name: /corpid/ }), 'corp-1');
  await userEvent.click(screen.getByRole('button', { name: 'Test' }));
  expect((await screen.findByRole('alert')).textContent).toContain('WeCom refuses the secret.');
  expect(screen.getAllByText(/WeCom refuses the secret/)).toHaveLength(1);
  expect(tested).toEqual({ WECOM_CORPID: 'corp-1', WECOM_SECRET: '' });
  expect(sent('PATCH', 'settings/setting/')).toEqual([]);
});

test('a test of mail with values that cannot be used shows the reasons at their fields', async () => {
  const form = await show('email');
  server.use(
    mock.post('*/api/v1/settings/mail/testing/', () =>
      HttpResponse.json({ EMAIL_HOST: ['This host has no address.'] }, { status: 400 }),
    ),
  );
  await userEvent.click(screen.getByRole('button', { name: 'Send test mail' }));
  expect(
    await screen.findByText('Some values cannot be used: the reasons are at their fields.'),
  ).toBeTruthy();
  expect(form.textContent).toContain('This host has no address.');
});

test('another host name warns of the passkeys that it voids; another port does not', async () => {
  const inUse = () => HttpResponse.json({ host: 'gate.test', number: 2 });
  server.use(mock.get('*/api/v1/authentication/passkeys/in-use/', inUse));
  const form = await show('basic');
  const field = within(form).getByRole('textbox', { name: /Site URL/ });
  await userEvent.clear(field);
  await userEvent.type(field, 'https://other.test');
  expect((await screen.findByRole('alert')).textContent).toContain('2 passkeys were made for gate.test');
  await userEvent.clear(field);
  await userEvent.type(field, 'https://gate.test:8443');
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull());
});

test('an order is changed with the keyboard, and entries are switched off in their place', async () => {
  const form = await show('security');
  const list = within(form).getByRole('list', { name: 'Ways' });
  const rows = () =>
    within(list)
      .getAllByRole('checkbox')
      .map((box) => box.closest('label')?.textContent);
  expect(rows()).toEqual(['Password', 'Passkey', 'OpenID']);
  const up = within(list).getByRole('button', { name: 'Move OpenID up' });
  up.focus();
  await userEvent.keyboard('{Enter}');
  expect(rows()).toEqual(['Password', 'OpenID', 'Passkey']);
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Move OpenID up');
  expect(screen.getByText('OpenID is now at place 2')).toBeTruthy();
  await userEvent.keyboard('{Enter}');
  expect(rows()).toEqual(['OpenID', 'Password', 'Passkey']);
  await userEvent.click(within(list).getByRole('checkbox', { name: 'Password' }));
  expect(rows()).toEqual(['OpenID', 'Password', 'Passkey']);
  expect(screen.getByText('Saved value: Password › Passkey › OpenID')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Save 1 change' }));
  await waitFor(() =>
    expect(sent('PATCH', 'settings/setting/')[0]?.body).toEqual({ SIGN_IN_WAYS: 'openid,passkey' }),
  );
});

test('[S1-037] [S7-026] without the licensed extension nothing is asked about a licence', async () => {
  await renderScreen(<SettingsPage />, {
    address: '/settings?activeTab=licence',
    pattern: '/settings',
    texts: TEXTS,
    session: { ...adminSession, settings: { ...adminSession.settings, XPACK_ENABLED: false } },
  });
  expect(await screen.findByText(/This is the community edition/)).toBeTruthy();
  expect(sent('GET', 'xpack/license/detail')).toEqual([]);
  expect(screen.queryByLabelText('Licence file')).toBeNull();
});
