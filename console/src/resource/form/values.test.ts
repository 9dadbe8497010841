import { expect, test } from 'vitest';
import type { FieldMeta } from '../api';
import { controlKind, errorText, initialValues, objectValues, payloadOf } from './values';

function meta(type: string, more: Partial<FieldMeta> = {}): FieldMeta {
  return { type, required: false, read_only: false, label: type, ...more };
}

const choices = (count: number) =>
  Array.from({ length: count }, (_, value) => ({ value, display_name: String(value) }));

test.each([
  ['a choice of four', 'level', meta('choice', { choices: choices(4) }), 'radio'],
  ['a choice of five', 'level', meta('choice', { choices: choices(5) }), 'select'],
  ['a string without limit', 'notes', meta('string'), 'textarea'],
  ['a write-only string', 'token', meta('string', { write_only: true, max_length: 9 }), 'password'],
  ['a field named email', 'email', meta('string', { max_length: 9 }), 'email'],
  ['a field named password', 'password', meta('string'), 'password'],
  ['a field named comment', 'comment', meta('string', { max_length: 9 }), 'textarea'],
  ['a boolean', 'is_active', meta('boolean'), 'checkbox'],
  ['a date-time', 'date_expired', meta('datetime'), 'datetime'],
  ['an integer', 'priority', meta('integer'), 'number'],
  ['anything else', 'name', meta('string', { max_length: 9 }), 'input'],
])('%s is shown as its control', (_, name, field, kind) => {
  expect(controlKind(name, field, undefined)).toBe(kind);
});

test("a new form starts with the metadata's defaults, overridden by the definition's", () => {
  const fields = { port: meta('integer', { default: 22 }), is_active: meta('boolean'), name: meta('string') };
  expect(initialValues(fields, ['port', 'is_active', 'name'], { name: 'x' })).toEqual({
    port: 22,
    is_active: false,
    name: 'x',
  });
});

test('secrets are never loaded into a form', () => {
  const fields = { password: meta('string', { write_only: true }) };
  expect(objectValues({ password: 'leaked' }, ['password'], fields)).toEqual({ password: '' });
});

test('the request body has no blank secrets and no read-only or local fields, and null for unset values', () => {
  const fields = {
    name: meta('string', { required: true }),
    password: meta('string', { write_only: true }),
    admin_user: meta('field'),
    created_by: meta('string', { read_only: true }),
    phone: meta('string'),
  };
  const values = { name: 'x', password: '', admin_user: '', created_by: 'me', phone: '', agree: true };
  expect(payloadOf(values, Object.keys(values), fields, { agree: { local: true } })).toEqual({
    name: 'x',
    admin_user: null,
    phone: '',
  });
});

test('nested errors become one line', () => {
  expect(errorText({ 0: 'bad port', 1: { host: 'unknown' } })).toBe('bad port; unknown');
});
