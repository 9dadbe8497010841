import { createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { explain } from '#/lib/http/catalogue';
import { HttpError, SignedOutError } from '#/lib/http/errors';
import { loadNamespaces } from '#/lib/i18n';
import { noteMfaVerified } from '#/lib/session';
import { toast } from '#/ui/toast';
import { checkVerified, fetchSecondFactor } from './api';

let underWay: Promise<boolean> | null = null;

/**
 * Asks for a second factor in a dialog. Resolves to true when the server accepted it, to false when the person cancels.
 */
async function ask(): Promise<boolean> {
  // Loaded on demand: most visits never need the dialog.
  const [{ MfaDialog }, has] = await Promise.all([
    import('./MfaDialog'),
    fetchSecondFactor().catch(() => null), // a code can be entered all the same
    loadNamespaces(['mfa', 'passkeys']),
  ]);
  const root = createRoot(document.createElement('div'));
  const verified = await new Promise<boolean>((answer) => {
    root.render(createElement(MfaDialog, { has, onDone: answer }));
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
 * Runs a change of the second factor. If the server wants the present factor shown first, asks for it and runs the
 * change again. Resolves to null when the person cancels.
 */
export async function withFactorShown<Result>(change: () => Promise<Result>): Promise<Result | null> {
  try {
    return await change();
  } catch (error) {
    if (!(error instanceof HttpError && error.code === 'mfa_verify_required')) throw error;
  }
  return (await ask()) ? change() : null;
}

/**
 * Required before secrets are shown or exported. Asks the server, without a toast, whether a code was entered recently;
 * if not, asks the person. Concurrent callers share one dialog. Resolves to false when the person cancels.
 */
export function requireMfa(): Promise<boolean> {
  underWay ??= check().finally(() => {
    underWay = null;
  });
  return underWay;
}
