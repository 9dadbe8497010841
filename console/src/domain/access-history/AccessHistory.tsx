import { loadNamespaces } from '#/lib/i18n';
import { lazyPart } from '#/resource/lazy-part';

/** Lazily loaded: who could reach an object on a day, or what a person could reach, for a tab of its page. */
export const AccessHistory = lazyPart(async () => {
  const [{ AccessOnDay }] = await Promise.all([
    import('./AccessOnDay'),
    loadNamespaces(['access-history', 'application-kinds']),
  ]);
  return AccessOnDay;
});
