import { http } from '#/lib/http/client';
import { HttpError } from '#/lib/http/errors';
import { serverPaths } from '#/lib/paths';
import { readCookie } from '#/lib/storage';
import { type ProviderName, providersOn, type VouchingProvider } from '#/domain/external/providers';
import type { CodeKind } from '#/domain/mfa/api';
import { passkeyText } from '#/domain/passkeys/problem';
import { type OnChecking, postSolving } from './puzzle/asking';
import { PuzzleProblem } from './puzzle/puzzle';

const FORGOT_PASSWORD_PAGE = '/core/auth/password/forgot/';

/** The sign-in is complete. */
export interface SignedIn {
  /** Address to which the server would redirect. */
  readonly next: string;
  readonly must_change_password: boolean;
}

/** What can be shown as the second factor. */
export type FactorChoice = CodeKind | 'passkey';

/** Name and password were correct. A second factor is required: a code, or the setup of an app. */
export interface SecondFactorWanted {
  readonly error: 'mfa_required' | 'mfa_unset';
  readonly msg: string;
  readonly data: { readonly choices: readonly FactorChoice[]; readonly url: string };
}

export type SignInAnswer = SignedIn | SecondFactorWanted;

/** The login page of the server sets the CSRF cookie; it is fetched when the browser does not have the cookie yet. */
export async function ensureCsrfCookie(): Promise<void> {
  if (readCookie('csrftoken') === null) {
    await fetch(serverPaths.login, { credentials: 'same-origin', redirect: 'manual' });
  }
}

/**
 * What the settings say about this page. `forgot`: where people go whose password is forgotten, the page of the company
 * or else ours; null: nowhere.
 */
type Button = Pick<VouchingProvider, 'id' | 'name'>;

export interface SignInSettings {
  readonly forgot: string | null;
  readonly providers: readonly ProviderName[];
  readonly vouching: readonly VouchingProvider[];
  /** Days for which a browser can be trusted after the second factor; 0: not at all. */
  readonly trustDays: number;
  /** The ways of signing in that an administrator has left on, in their order. */
  readonly ways?: readonly string[];
}

export async function signInSettings(): Promise<SignInSettings> {
  const { data } = await http.get<{
    data: {
      FORGOT_PASSWORD_URL?: string | null;
      MAIL_CONFIGURED?: boolean;
      OPENID_PROVIDERS?: readonly Button[];
      SAML_PROVIDERS?: readonly Button[];
      SECURITY_TRUSTED_BROWSER_DAYS?: number;
      SECURITY_SIGN_IN_WAYS?: readonly string[];
    };
  }>('settings/public/', { quiet: true });
  const own = data.MAIL_CONFIGURED === true ? FORGOT_PASSWORD_PAGE : null;
  return {
    forgot: data.FORGOT_PASSWORD_URL || own,
    providers: providersOn(data),
    vouching: [
      ...(data.OPENID_PROVIDERS ?? []).map((provider) => ({ ...provider, kind: 'openid' as const })),
      ...(data.SAML_PROVIDERS ?? []).map((provider) => ({ ...provider, kind: 'saml' as const })),
    ],
    trustDays: data.SECURITY_TRUSTED_BROWSER_DAYS ?? 0,
    ways: data.SECURITY_SIGN_IN_WAYS,
  };
}

/** A visit to a provider from which the browser came back. `by`: the part of the API that uses it. */
export interface Visit {
  readonly id: string;
  readonly by: 'external' | VouchingProvider['kind'];
}

/** The part of the API that an address names. */
export function visitKind(by: string | null): Visit['by'] {
  return by === 'openid' || by === 'saml' ? by : 'external';
}

/** Signs in the person who came back from a provider in this visit. */
export async function signInAfterVisit({ id, by }: Visit): Promise<SignInAnswer> {
  await ensureCsrfCookie();
  return http.post<SignInAnswer>(`authentication/${by}/sign-in/`, { id }, { quiet: true });
}

/** `onChecking`: the browser solves a puzzle, which the server asks for after a recent failure. */
export async function signIn(
  username: string,
  password: string,
  onChecking: OnChecking,
): Promise<SignInAnswer> {
  await ensureCsrfCookie();
  return postSolving<SignInAnswer>('authentication/sign-in/', { username, password }, onChecking);
}

/** Sends the code for the pending sign-in of this browser. `trust`: the person trusts this browser. */
export function answerChallenge(code: string, type: CodeKind, trust: boolean): Promise<SignedIn> {
  const body = { code, type, ...(trust ? { trust } : {}) };
  return http.post<SignedIn>('authentication/mfa/challenge/', body, { quiet: true });
}

export interface PasswordChange {
  readonly old_password: string;
  readonly new_password: string;
  readonly new_password_again: string;
  /** Kinds of credentials to revoke together with the old password. */
  readonly end: readonly string[];
}

export function changePassword(change: PasswordChange): Promise<unknown> {
  return http.put('users/profile/password/', change, { quiet: true });
}

/** Sets a password with the token of a one-time link. */
export async function setPassword(token: string, password: string): Promise<unknown> {
  await ensureCsrfCookie();
  return http.post('authentication/set-password/', { token, new_password: password }, { quiet: true });
}

/** Asks for a link by mail. The answer is the same whether or not the account exists. */
export async function forgotPassword(username: string, onChecking: OnChecking): Promise<string> {
  await ensureCsrfCookie();
  const path = 'authentication/password/forgot/';
  const { msg } = await postSolving<{ msg: string }>(path, { username }, onChecking);
  return msg;
}

/** The message of a refused sign-in step. Here the contract has a slug in `error` and the sentence in `msg`. */
export function refusal(error: unknown): { readonly slug: string | null; readonly text: string } {
  if (error instanceof PuzzleProblem) return { slug: null, text: error.message };
  const body = error instanceof HttpError ? error.body : null;
  const { error: slug, msg } = (body ?? {}) as { error?: unknown; msg?: unknown };
  return {
    slug: typeof slug === 'string' ? slug : null,
    text: typeof msg === 'string' && msg !== '' ? msg : passkeyText(error),
  };
}
