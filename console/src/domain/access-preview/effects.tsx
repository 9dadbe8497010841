import type { ReactNode } from 'react';
import { loadNamespaces } from '#/lib/i18n';
import { lazyPart } from '#/resource/lazy-part';
import type { AccessChange } from './preview';

/** Who gains and loses access, loaded with its texts. */
export const AccessPreview = lazyPart(
  async () =>
    (await Promise.all([import('./AccessPreview'), loadNamespaces(['access-preview'])]))[0].AccessPreview,
);

/** What the changes do to access, for a question that is asked before them. */
export const accessEffect = (changes: readonly AccessChange[]): ReactNode => (
  <div className="mt-3">
    <AccessPreview changes={changes} />
  </div>
);

/** What deleting objects of this kind does to access. */
export const deletionEffect = (object: AccessChange['object']) => (ids: readonly string[]) =>
  accessEffect(ids.map((id) => ({ object, action: 'delete', id })));
