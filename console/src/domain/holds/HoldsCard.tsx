import { loadNamespaces } from '#/lib/i18n';
import { lazyPart } from '#/resource/lazy-part';

/** Lazily loaded: the holds of a session or a person, for its page. */
export const HoldsCard = lazyPart(async () => {
  const [{ HoldsOf }] = await Promise.all([import('./HoldsOf'), loadNamespaces(['holds', 'dates'])]);
  return HoldsOf;
});
