import type { ReactNode } from 'react';
import { lazyPart } from '#/resource/lazy-part';
import { type AccessChange, MAX_CHANGES } from './preview';

const AccessPreview = lazyPart(async () => (await import('./AccessPreview')).AccessPreview);
const TooMany = lazyPart(async () => (await import('./TooMany')).TooMany);

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
