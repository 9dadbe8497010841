import { mayUse } from '#/lib/permissions';
import type { Session } from '#/lib/session';
import { readStored, writeStored } from '#/lib/storage';

/** Each person closes the first steps of an organization for themselves, in this browser. */
function keyOf({ profile, organization }: Session): string {
  return `postern.start.closed.${profile.id}.${organization.id}`;
}

/** Whether an administrator lands on the first steps. Never in the root organization, where nothing can be created. */
export function isStartOpen(session: Session): boolean {
  return (
    mayUse(session.currentRole, 'admin') &&
    !session.organization.is_root &&
    readStored(keyOf(session)) === null
  );
}

export function closeStart(session: Session): void {
  writeStored(keyOf(session), '1');
}
