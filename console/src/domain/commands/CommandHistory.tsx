import { loadNamespaces } from '#/lib/i18n';
import { lazyPart } from '#/resource/lazy-part';

/** Lazily loaded: the commands that were run on an asset, for a tab of its page. */
export const CommandHistory = lazyPart(async () => {
  const [{ CommandsOfAsset }] = await Promise.all([
    import('./CommandsOfAsset'),
    loadNamespaces(['commands']),
  ]);
  return CommandsOfAsset;
});
