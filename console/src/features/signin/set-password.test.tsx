import { screen } from '@testing-library/react';
import { afterEach, expect, test } from 'vitest';
import { renderScreen } from '#/test/render';
import { SetPasswordPage } from './SetPasswordPage';

afterEach(() => {
  location.hash = '';
});

test.each([
  ['without its secret asks for nothing that could not be sent', '', 0],
  ['that is whole asks for the new password twice', '#secret-of-the-link', 2],
])('a set-password link %s', async (_, hash, fields) => {
  location.hash = hash;
  await renderScreen(<SetPasswordPage />);
  await screen.findByRole('heading', { level: 1 });
  expect(document.querySelectorAll('form input[type=password]')).toHaveLength(fields);
  expect(document.querySelectorAll('[type=submit]')).toHaveLength(fields === 0 ? 0 : 1);
});
