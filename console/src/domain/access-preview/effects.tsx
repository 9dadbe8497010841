import type { ReactNode } from 'react';
import { loadNamespaces } from '#/lib/i18n';
import { lazyPart } from '#/resource/lazy-part';
import { type AccessChange, MAX_CHANGES } from './preview';

const texts = () => loadNamespaces(['access-preview']);
/** Who gains and loses access, loaded with its texts. */
export const AccessPreview = lazyPart(
  async () => (await Promise.all([import('./AccessPreview'), texts()]))[0].AccessPreview,
);
const TooMany = lazyPart(async () => (await Promise.all([import('./TooMany'), texts()]))[0].TooMany);

/** What the changes do to access, for a question that is asked before them. */
export function accessEffect(changes: readonly AccessChange[]): ReactNode {
  if (changes.length > MAX_CHANGES) return <TooMany />;
  return (
    <div className="mt-3">
      <AccessPreview changes={changes} />
    </div>
  );
}

/** What deleting objects of this kind does to access. */
export const deletionEffect =
  (object: AccessChange['object']) =>
  (ids: readonly string[]): ReactNode =>
    accessEffect(ids.map((id) => ({ object, action: 'delete', id })));
