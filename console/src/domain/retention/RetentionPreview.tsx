import { loadNamespaces } from '#/lib/i18n';
import { lazyPart } from '#/resource/lazy-part';

/** Lazily loaded: what retention would delete now. */
export const RetentionPreview = lazyPart(async () => {
  const [{ PreviewCard }] = await Promise.all([import('./PreviewCard'), loadNamespaces(['retention'])]);
  return PreviewCard;
});
