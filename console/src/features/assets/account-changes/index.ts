import { loadNamespaces } from '#/lib/i18n';
import { lazyPart } from '#/resource/lazy-part';

const TEXTS = ['account-changes'];

/** Restores the secret of an earlier version. */
export const RestoreButton = lazyPart(async () => {
  const [part] = await Promise.all([import('./RestoreButton'), loadNamespaces(TEXTS)]);
  return part.RestoreButton;
});

/** Creates an account of the asset or system user that the list is about. */
export const CreateAccountButton = lazyPart(async () => {
  const [part] = await Promise.all([import('./CreateAccountButton'), loadNamespaces(TEXTS)]);
  return part.CreateAccountButton;
});
