import { http } from '#/lib/http/client';
import { serverPaths } from '#/lib/paths';
import { readCookie } from '#/lib/storage';

export interface SignInAnswer {
  /** Where the server would send the person. */
  readonly next: string;
  readonly must_change_password: boolean;
}

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

export interface PasswordChange {
  readonly old_password: string;
  readonly new_password: string;
  readonly new_password_again: string;
}

export function changePassword(change: PasswordChange): Promise<unknown> {
  return http.put('users/profile/password/', change, { quiet: true });
}

/** Sets the password that a one-time link stands for. */
export async function setPassword(token: string, password: string): Promise<unknown> {
  await ensureCsrfCookie();
  return http.post('authentication/set-password/', { token, new_password: password }, { quiet: true });
}
