import { http } from '#/lib/http/client';
import { ConflictError } from '#/lib/http/errors';
import { ensureCsrfCookie, type SignInAnswer } from '../api';

/** Signs in by the key of an SSO link. `switchUser`: signs out another user of this browser. */
export async function signInByLink(key: string, switchUser: boolean): Promise<SignInAnswer> {
  await ensureCsrfCookie();
  const body = { key, ...(switchUser ? { switch: true } : {}) };
  return http.post<SignInAnswer>('authentication/sso/login/', body, { quiet: true });
}

/** Who is signed in with this browser, and whom the link is for; null for any other failure. */
export function otherUser(error: unknown): string | null {
  if (!(error instanceof ConflictError)) return null;
  const { code, detail } = (error.body ?? {}) as { code?: unknown; detail?: unknown };
  return code === 'sso_other_user' && typeof detail === 'string' ? detail : null;
}
