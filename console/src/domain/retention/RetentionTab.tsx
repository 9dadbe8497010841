import { loadNamespaces } from '#/lib/i18n';
import { lazyPart } from '#/resource/lazy-part';

/** Lazily loaded: how long the organization keeps its sessions, for a tab of the list of sessions. */
export const RetentionTab = lazyPart(async () => {
  const [{ RetentionPanel }] = await Promise.all([import('./RetentionPanel'), loadNamespaces(['retention'])]);
  return RetentionPanel;
});
