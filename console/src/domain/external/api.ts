import { http } from '#/lib/http/client';
import type { ProviderName } from './providers';

/** A bound account, and where the person wanted to go afterwards. */
export interface Bound {
  readonly msg: string;
  readonly next: string;
}

/** Binds the account that came back in this visit. */
export function bindAfterVisit(id: string): Promise<Bound> {
  return http.post<Bound>('authentication/external/bind/', { id }, { quiet: true });
}

/** Unbinds one's own account; the password was verified a moment ago. */
export function unbindOwn(provider: ProviderName): Promise<{ readonly msg: string }> {
  return http.post<{ msg: string }>(`authentication/${provider}/qr/unbind/`, undefined, { quiet: true });
}
