import { loadNamespaces } from '#/lib/i18n';
import { lazyPart } from '#/resource/lazy-part';

/** Why a person can or cannot reach an asset or application, loaded with its texts. */
export const ExplainCard = lazyPart(async () => {
  const [{ ExplainAccess }] = await Promise.all([
    import('./ExplainAccess'),
    loadNamespaces(['explain-access']),
  ]);
  return ExplainAccess;
});
