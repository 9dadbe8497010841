import { screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { expect, test } from 'vitest';
import { ResourceForm } from '#/resource/form/ResourceForm';
import { recordedServer } from '#/test/recorded';
import { renderScreen } from '#/test/render';
import { openidProvider } from './openid.resource';

const ONE = '*/api/v1/authentication/openid-providers/:id/';
const AT = {
  address: '/settings/openid-providers/p1/update',
  pattern: '/settings/openid-providers/$id/update',
  texts: ['settings'],
};

const text = { type: 'string', required: true, read_only: false, max_length: 255 };
const fields = {
  name: { ...text, label: 'Name' },
  client_secret: { ...text, required: false, write_only: true, label: 'Client secret' },
};
// The fields that matter here; the rest of the form is that of other tests.
const form = openidProvider.form;
const provider = {
  ...openidProvider,
  form: form && {
    ...form,
    groups: [{ title: 'settings:openid.group_provider', fields: ['name', 'client_secret'] }],
  },
};
let hasSecret: boolean;

const { sent } = recordedServer(() => [
  mock.options(ONE, () => HttpResponse.json({ name: 'provider', actions: { PUT: fields } })),
  mock.get('*/api/v1/settings/setting/state/', () => HttpResponse.json({ version: 1, settings: [] })),
  mock.get(ONE, () => HttpResponse.json({ id: 'p1', name: 'Corp', slug: 'corp', has_secret: hasSecret })),
  mock.put(ONE, () => HttpResponse.json({ id: 'p1', name: 'Corp', has_secret: false })),
]);

test('a stored client secret stays until it is removed with null', async () => {
  hasSecret = true;
  await renderScreen(<ResourceForm resource={provider} mode="update" />, AT);
  expect(await screen.findByDisplayValue('Set; it is never shown')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Remove the secret' }));
  expect(screen.getByDisplayValue('Removed when saved')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Keep it' }));
  expect(screen.getByDisplayValue('Set; it is never shown')).toBeTruthy();
  await userEvent.click(screen.getByRole('button', { name: 'Remove the secret' }));
  await userEvent.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() =>
    expect(sent('PUT', 'authentication/openid-providers/p1/')[0]?.body).toMatchObject({
      client_secret: null,
    }),
  );
});

test('where none is stored there is nothing to remove', async () => {
  hasSecret = false;
  await renderScreen(<ResourceForm resource={provider} mode="update" />, AT);
  expect(await screen.findByLabelText(/Client secret/)).toBeTruthy();
  expect(screen.queryByRole('button', { name: 'Remove the secret' })).toBeNull();
});
