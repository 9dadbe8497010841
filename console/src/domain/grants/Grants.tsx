import { loadNamespaces } from '#/lib/i18n';
import { lazyPart } from '#/resource/lazy-part';

/** The permissions that name an object, for a tab of its page. */
export const Grants = lazyPart(async () => {
  const [{ GrantList }] = await Promise.all([import('./GrantList'), loadNamespaces(['grants'])]);
  return GrantList;
});

/** The application permissions that name an object, for a tab of its page. */
export const ApplicationGrants = lazyPart(async () => {
  const [{ ApplicationGrantList }] = await Promise.all([
    import('./ApplicationGrantList'),
    loadNamespaces(['grants', 'application-kinds']),
  ]);
  return ApplicationGrantList;
});
