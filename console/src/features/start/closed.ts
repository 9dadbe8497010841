import { mayUse } from '#/lib/permissions';
import type { Session } from '#/lib/session';
import { readStored, writeStored } from '#/lib/storage';

/** Each person closes the first steps of an organization for themselves, in this browser. */
function keyOf({ profile, organization }: Session): string {
  return `postern.start.closed.${profile.id}.${organization.id}`;
}

/** Whether the first steps are what an administrator sees first. The root organization has none: nothing is made there. */
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
