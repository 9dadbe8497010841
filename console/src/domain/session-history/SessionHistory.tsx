import { loadNamespaces } from '#/lib/i18n';
import { lazyPart } from '#/resource/lazy-part';

/** Lazily loaded: the sessions of an asset, a person or a system user, for a tab of its page. */
export const SessionHistory = lazyPart(async () => {
  const [{ SessionsOf }] = await Promise.all([import('./SessionsOf'), loadNamespaces(['session-history'])]);
  return SessionsOf;
});
