import { http } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import { currentSession } from '#/lib/session';
import { cacheIds } from '#/resource/api';
import type { ActionTools, BulkTools } from '#/resource/define';
import { deletionEffect } from '#/domain/access-preview/effects';
import { switchingOf } from '#/domain/access-preview/switching';
import { confirm } from '#/ui/confirm';
import { toast } from '#/ui/toast';

interface Person {
  readonly id: string;
  readonly name: string;
}

export function hasLicence(): boolean {
  return currentSession()?.settings.XPACK_LICENSE_IS_VALID === true;
}

/** Inviting to and removing from an organization need a licence, and nobody can leave the root organization. */
export function managesMembers(): boolean {
  return hasLicence() && currentSession()?.organization.is_root === false;
}

const switching = switchingOf('user', 'users/users/', {
  question: 'users:deactivate_question',
  effect: 'users:deactivate_effect',
  confirm: 'users:deactivate',
  on: 'users:activated',
  off: 'users:deactivated',
});
/** Switches people on, or off after a question. */
export const setActive = switching.many;

/** The switch on the page of a person. */
export function switchActive(row: Person, active: boolean): Promise<void> {
  return switching.one(row.id, row.name, active);
}

async function remove(
  count: number,
  names: readonly string[],
  ids: readonly string[],
  work: () => Promise<unknown>,
  tools: ActionTools,
): Promise<boolean> {
  const organization = currentSession()?.organization.name ?? '';
  const name = names[0] ?? '';
  const several = count > 1;
  const isDone = await confirm({
    title: several
      ? translate('users:remove.several.question', { count, organization })
      : translate('users:remove.question', { name, organization }),
    effect: translate('users:remove.effect'),
    extra: deletionEffect('user')(ids),
    names: several ? names : [],
    confirmLabel: several
      ? translate('users:remove.several.confirm', { count })
      : translate('users:remove.confirm'),
    danger: true,
    run: work,
  });
  if (!isDone) return false;
  toast({
    tone: 'ok',
    text: several
      ? translate('users:remove.several.done', { count })
      : translate('users:remove.done', { name }),
  });
  tools.refresh();
  return true;
}

/** Removes a person from the organization; the account stays. */
export async function removeOne(row: Person, tools: ActionTools): Promise<void> {
  await remove(
    1,
    [row.name],
    [row.id],
    () => http.post(`users/users/${row.id}/remove/`, undefined, { quiet: true }),
    tools,
  );
}

export async function removeMany(ids: readonly string[], tools: BulkTools): Promise<void> {
  const work = async () =>
    http.post('users/users/remove/', undefined, { query: { spm: await cacheIds(ids) }, quiet: true });
  if (await remove(ids.length, tools.names, ids, work, tools)) tools.clear();
}

function reset(person: Person, kind: 'mfa' | 'key', work: () => Promise<unknown>): Promise<boolean> {
  // i18n: users:reset.*
  return confirm({
    title: translate(`users:reset.${kind}`, { name: person.name }),
    effect: translate(`users:reset.${kind}_effect`),
    confirmLabel: translate('users:quick.reset'),
    danger: true,
    run: work,
  });
}

/** Resets the authenticator of a person, who then sets up a new authenticator. */
export function resetMfa(person: Person): Promise<boolean> {
  return reset(person, 'mfa', () =>
    http.post(`users/users/${person.id}/otp/reset/`, undefined, { quiet: true }),
  );
}

/** Deletes the SSH public keys of a person. */
export function resetKey(person: Person): Promise<boolean> {
  return reset(person, 'key', () =>
    http.patch(`users/users/${person.id}/pubkey/reset/`, {}, { quiet: true }),
  );
}
