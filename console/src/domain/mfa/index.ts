import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { explain } from '#/lib/http/catalogue';
import { HttpError, SignedOutError } from '#/lib/http/errors';
import { loadNamespaces } from '#/lib/i18n';
import { noteMfaVerified } from '#/lib/session';
import { toast } from '#/ui/toast';
import { checkVerified } from './api';

let underWay: Promise<boolean> | null = null;

/** Asks for a code in a dialog of its own; true once the server has taken one, false when the person gives up. */
async function ask(): Promise<boolean> {
  // Most visits never come here: the dialog's code and texts come with the first question.
  const [{ MfaDialog }] = await Promise.all([import('./MfaDialog'), loadNamespaces(['mfa'])]);
  const root = createRoot(document.createElement('div'));
  const verified = await new Promise<boolean>((answer) => {
    root.render(createElement(MfaDialog, { onDone: answer }));
  });
  root.unmount();
  return verified;
}

async function check(): Promise<boolean> {
  try {
    await checkVerified();
  } catch (error) {
    if (error instanceof SignedOutError) return false;
    if (!(error instanceof HttpError)) {
      toast({ tone: 'error', text: explain(error) });
      return false;
    }
    if (!(await ask())) return false;
  }
  noteMfaVerified();
  return true;
}

/**
 * What must come before secrets are shown or exported. Asks the server quietly whether a code was entered of late, and
 * the person for one if not. Several callers at once share one dialog.
 */
export function requireMfa(): Promise<boolean> {
  underWay ??= check().finally(() => {
    underWay = null;
  });
  return underWay;
}
