import { screen } from '@testing-library/react';
import { Users } from 'lucide-react';
import { http as mock, HttpResponse } from 'msw';
import { expect, test } from 'vitest';
import { choices, field, recordedServer } from '#/test/recorded';
import { renderScreen } from '#/test/render';
import type { FieldMap } from '../api';
import { defineResource } from '../define';
import { ResourceForm } from './ResourceForm';

const { server } = recordedServer(() => []);

/** The form built from this metadata alone, without field descriptions. */
async function formOf(fields: FieldMap) {
  server.use(
    mock.options('*/api/v1/things/', () => HttpResponse.json({ name: 'things', actions: { POST: fields } })),
  );
  const thing = defineResource<{ id: string }>({
    name: 'ThingListTable',
    api: 'things/',
    routes: {
      names: { list: 'ThingList', create: 'ThingCreate' },
      paths: { list: '/things', create: '/things/create' },
      titles: { list: 'nav:group_list', create: 'nav:group_create' },
    },
    icon: Users,
    nameOf: (row) => row.id,
    noun: { one: 'users:group.one', many: 'users:group.many', what: 'users:group.what' },
    list: { columns: ['id'] },
    form: { groups: [{ title: 'users:form.basic', fields: Object.keys(fields) }] },
  });
  await renderScreen(<ResourceForm resource={thing} mode="create" />);
  await screen.findByRole('button', { name: 'Save' });
}

test('[S5-050] a choice of four is a group of radio buttons, one of five a select', async () => {
  await formOf({
    few: field('Few', { type: 'choice', choices: choices(1, 2, 3, 4) }),
    many: field('Many', { type: 'choice', choices: choices(1, 2, 3, 4, 5) }),
  });
  expect(screen.getAllByRole('radio').map((radio) => radio.getAttribute('name'))).toEqual(
    Array.from({ length: 4 }, () => 'few'),
  );
  expect(screen.getByRole('combobox', { name: 'Many' })).toBeTruthy();
});

test('[S5-051] a string without a maximum is a textarea of three rows, one with a maximum is a single line', async () => {
  await formOf({ notes: field('Notes', { max_length: undefined }), line: field('Line') });
  const notes = screen.getByLabelText<HTMLTextAreaElement>('Notes');
  expect([notes.tagName, notes.rows]).toEqual(['TEXTAREA', 3]);
  expect(screen.getByLabelText('Line').tagName).toBe('INPUT');
});

test.each([
  ['[S5-052] a write-only string', 'token', { write_only: true }, 'password'],
  ['[S5-053] a field named email', 'email', {}, 'email'],
  ['[S5-054] a field named password', 'password', {}, 'password'],
  ['any other string', 'note', {}, 'text'],
])('%s has its input type', async (_what, name, more, type) => {
  await formOf({ [name]: field('F', more) });
  expect(screen.getByLabelText<HTMLInputElement>('F').type).toBe(type);
});

test('[S5-055] a field named comment is a textarea, whatever its length', async () => {
  await formOf({ comment: field('Comment', { max_length: 9 }) });
  const comment = screen.getByLabelText<HTMLTextAreaElement>('Comment');
  expect([comment.type, comment.maxLength]).toEqual(['textarea', 9]);
});
