import { explain } from '#/lib/http/catalogue';
import { http } from '#/lib/http/client';
import { HttpError } from '#/lib/http/errors';
import { serverPaths } from '#/lib/paths';
import { readCookie } from '#/lib/storage';
import type { CodeKind } from '#/domain/mfa/api';

/** The person is in. */
export interface SignedIn {
  /** Where the server would send the person. */
  readonly next: string;
  readonly must_change_password: boolean;
}

/** Name and password were right, and a second factor is wanted: a code, or setting up an app first. */
export interface SecondFactorWanted {
  readonly error: 'mfa_required' | 'mfa_unset';
  readonly msg: string;
  readonly data: { readonly choices: readonly CodeKind[]; readonly url: string };
}

export type SignInAnswer = SignedIn | SecondFactorWanted;

/** The login page of the server sets the CSRF cookie; fetch it when this browser has none yet. */
export async function ensureCsrfCookie(): Promise<void> {
  if (readCookie('csrftoken') === null) {
    await fetch(serverPaths.login, { credentials: 'same-origin', redirect: 'manual' });
  }
}

export async function signIn(username: string, password: string): Promise<SignInAnswer> {
  await ensureCsrfCookie();
  return http.post<SignInAnswer>('authentication/sign-in/', { username, password }, { quiet: true });
}

/** The code of the sign-in that is under way in this browser. */
export function answerChallenge(code: string, type: CodeKind): Promise<SignedIn> {
  return http.post<SignedIn>('authentication/mfa/challenge/', { code, type }, { quiet: true });
}

export interface PasswordChange {
  readonly old_password: string;
  readonly new_password: string;
  readonly new_password_again: string;
  /** Kinds of credentials that end together with the old password. */
  readonly end: readonly string[];
}

export function changePassword(change: PasswordChange): Promise<unknown> {
  return http.put('users/profile/password/', change, { quiet: true });
}

/** Sets the password that a one-time link stands for. */
export async function setPassword(token: string, password: string): Promise<unknown> {
  await ensureCsrfCookie();
  return http.post('authentication/set-password/', { token, new_password: password }, { quiet: true });
}

/** Why a step of signing in was refused: the contract has a slug in `error` there, and the sentence in `msg`. */
export function refusal(error: unknown): { readonly slug: string | null; readonly text: string } {
  const body = error instanceof HttpError ? error.body : null;
  const { error: slug, msg } = (body ?? {}) as { error?: unknown; msg?: unknown };
  return {
    slug: typeof slug === 'string' ? slug : null,
    text: typeof msg === 'string' && msg !== '' ? msg : explain(error),
  };
}
