import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { http as mock, HttpResponse } from 'msw';
import { describe, expect, test } from 'vitest';
import { ResourceList } from '#/resource/list/ResourceList';
import {
  csvAnswer,
  exports,
  groups,
  LIST,
  renderScreen,
  saved,
  sent,
  server,
  where,
} from '#/test/exchange-rig';
import { freshMfa } from './fresh-mfa';

describe('[S4-062] export of rows with secrets', () => {
  const MFA = '*/api/v1/authentication/otp/verify/';
  async function press() {
    server.use(
      mock.get('*/api/v1/authentication/otp/', () => HttpResponse.json({ is_set: true, passkeys: 0 })),
    );
    await renderScreen(<ResourceList resource={groups({ verification: freshMfa })} />);
    await screen.findByRole('link', { name: 'dba' });
    await userEvent.click(screen.getByRole('button', { name: 'Import and export' }));
    await userEvent.click(screen.getByRole('menuitem', { name: 'Export' }));
  }
  const refused = () => HttpResponse.json({ detail: 'x', code: 'mfa_verify_required' }, { status: 400 });

  test('after a recent verification the export dialog opens at once', async () => {
    server.use(mock.get(MFA, () => HttpResponse.json({ code: 'ok' })));
    await press();
    expect(await screen.findByRole('dialog', { name: 'Export user groups' })).toBeTruthy();
    expect(where('GET', 'authentication/otp/verify/')).toHaveLength(1);
  });

  test('otherwise the code is asked for first, then the export dialog opens', async () => {
    server.use(
      mock.get(MFA, refused),
      mock.post(MFA, () => HttpResponse.json({ code: 'ok' })),
    );
    await press();
    const question = await screen.findByRole('dialog');
    expect(screen.queryByRole('dialog', { name: 'Export user groups' })).toBeNull();
    await userEvent.type(within(question).getByRole('textbox'), '123456');
    const sends = sent.some(({ method, path }) => method === 'POST' && path === 'authentication/otp/verify/');
    if (!sends) await userEvent.keyboard('{Enter}');
    expect(await screen.findByRole('dialog', { name: 'Export user groups' })).toBeTruthy();
  });

  test('when the person cancels, nothing is shown or exported', async () => {
    server.use(mock.get(MFA, refused));
    await press();
    const question = await screen.findByRole('dialog');
    await userEvent.click(within(question).getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull());
    expect(exports()).toHaveLength(0);
  });

  test('when the verification expires while the dialog is open, the code is asked for again', async () => {
    let fresh = false;
    server.use(
      mock.get(MFA, () => HttpResponse.json({ code: 'ok' })),
      mock.get(LIST, ({ request }) => {
        if (!new URL(request.url).searchParams.has('format') || fresh) return csvAnswer(request);
        fresh = true;
        return refused();
      }),
    );
    await press();
    const dialog = await screen.findByRole('dialog', { name: 'Export user groups' });
    await userEvent.click(within(dialog).getByRole('button', { name: 'Export' }));
    await waitFor(() => expect(saved).toHaveLength(1));
    expect(exports()).toHaveLength(2);
    expect(where('GET', 'authentication/otp/verify/')).toHaveLength(2);
  });
});
