import { screen } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { useForm, useWatch } from 'react-hook-form';
import { describe, expect, test } from 'vitest';
import { field } from '#/test/recorded';
import { renderScreen } from '#/test/render';
import type { FieldMeta } from '../api';
import type { FormValues } from '../define';
import { FieldControl } from './FieldControl';
import { payloadOf } from './values';

const meta = field('Password', { write_only: true }) as FieldMeta;
const fields = { password: meta };
const payload = (): unknown => JSON.parse(screen.getByTestId('payload').textContent);

function Form({ stored, required = false }: { readonly stored?: FormValues; readonly required?: boolean }) {
  const form = useForm<FormValues>({ defaultValues: { password: '' } });
  const values = useWatch({ control: form.control });
  return (
    <>
      <FieldControl
        name="password"
        meta={meta}
        spec={{ required }}
        form={form.control}
        context={{ mode: stored ? 'update' : 'create', values: {}, stored }}
      />
      <pre data-testid="payload">{JSON.stringify(payloadOf(values, ['password'], fields, {}))}</pre>
    </>
  );
}

describe('a field for a secret', () => {
  test('says that one is stored, keeps it while empty, and removes it on request', async () => {
    await renderScreen(<Form stored={{ stored_secrets: ['password'] }} />);
    expect(await screen.findByText('Stored. Leave empty to keep it.')).toBeTruthy();
    expect(payload()).toEqual({});
    await userEvent.click(screen.getByRole('button', { name: 'Remove the stored secret: Password' }));
    expect(screen.getByText('Is removed when you save.')).toBeTruthy();
    expect(payload()).toEqual({ password: null });
    await userEvent.click(screen.getByRole('button', { name: 'Keep the stored secret: Password' }));
    expect(payload()).toEqual({});
    await userEvent.type(screen.getByLabelText('Password'), 'fresh');
    expect(payload()).toEqual({ password: 'fresh' });
  });

  test('says that none is stored; one that is required can only be replaced', async () => {
    const { unmount } = await renderScreen(<Form stored={{ stored_secrets: ['token'] }} />);
    expect(await screen.findByText('None is stored.')).toBeTruthy();
    expect(screen.queryByRole('button', { name: /stored secret/ })).toBeNull();
    unmount();
    await renderScreen(<Form stored={{ stored_secrets: ['password'] }} required />);
    expect(await screen.findByText('Stored. Leave empty to keep it.')).toBeTruthy();
    expect(screen.queryByRole('button', { name: /stored secret/ })).toBeNull();
  });

  test('says nothing in a form for a new object, or where the API does not tell', async () => {
    const { unmount } = await renderScreen(<Form />);
    await screen.findByLabelText('Password');
    expect(screen.queryByText(/stored/)).toBeNull();
    unmount();
    await renderScreen(<Form stored={{ name: 'x' }} />);
    await screen.findByLabelText('Password');
    expect(screen.queryByText(/stored/)).toBeNull();
  });
});
