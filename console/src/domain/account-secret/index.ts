import { loadNamespaces } from '#/lib/i18n';
import { lazyPart } from '#/resource/lazy-part';

/** Shows the secret of an account, loaded with its texts. */
export const AccountSecret = lazyPart(
  async () =>
    (await Promise.all([import('./SecretDialog'), loadNamespaces(['account-secret'])]))[0].SecretDialog,
);
