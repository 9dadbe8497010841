import { CircleCheck, CirclePause, KeyRound, LockOpen, OctagonX, Power, UserMinus } from 'lucide-react';
import { http } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import { serverNow } from '#/lib/server-clock';
import { currentSession } from '#/lib/session';
import type { BulkAction, BulkUpdateDefinition, ObjectAction, QuickAction } from '#/resource/define';
import { daysFrom } from '#/ui/dates/shortcuts';
import { fieldValue } from '#/ui/dates/typed';
import { bulkEffect } from '#/domain/access-preview/effects';
import { groupOptions } from '#/domain/remotes';
import { endSessionsAction } from '#/domain/session-history/end-action';
import { Status } from '#/ui/status';
import { managesMembers, removeMany, removeOne, resetKey, setActive, switchActive } from './user-actions';

/** What people and service accounts have in common. */
export interface Account {
  readonly id: string;
  readonly name: string;
  readonly is_active: boolean;
  readonly is_expired: boolean;
  readonly login_blocked: boolean;
  readonly can_update: boolean;
  readonly can_delete: boolean;
}

/** The server's default lifetime of a new account. */
const DEFAULT_DAYS = 25_550;
export const farAway = (): string => fieldValue(daysFrom(serverNow(), DEFAULT_DAYS), 'datetime');

export function isSuper(): boolean {
  return currentSession()?.profile.is_superuser ?? false;
}

export function isInRoot(): boolean {
  return currentSession()?.organization.is_root ?? false;
}

export const notChangeable = (row: Account): string | undefined =>
  row.can_update ? undefined : translate('resource:not_allowed');

/** Valid, or the first reason why not. */
export function AccountStatus({ row }: { readonly row: Account }) {
  if (!row.is_active) return <Status tone="unknown">{translate('users:state.inactive')}</Status>;
  if (row.is_expired) return <Status tone="danger">{translate('users:state.expired')}</Status>;
  if (row.login_blocked) return <Status tone="warn">{translate('users:state.blocked')}</Status>;
  return <Status tone="ok">{translate('users:state.valid')}</Status>;
}

export const ROW_ACTIONS: readonly ObjectAction<Account>[] = [
  {
    id: 'remove',
    label: 'users:remove.action',
    icon: UserMinus,
    order: 40,
    isOffered: managesMembers,
    disabledReason: (row) => (row.can_delete ? undefined : translate('resource:not_allowed')),
    run: removeOne,
  },
];

export const BULK_ACTIONS: readonly BulkAction[] = [
  {
    id: 'activate',
    label: 'users:activate',
    icon: CircleCheck,
    run: (ids, tools) => setActive(ids, true, tools),
  },
  {
    id: 'deactivate',
    label: 'users:deactivate',
    icon: CirclePause,
    run: (ids, tools) => setActive(ids, false, tools),
  },
  {
    id: 'remove',
    label: 'users:remove.action',
    icon: UserMinus,
    isOffered: managesMembers,
    run: removeMany,
  },
];

export const BULK_UPDATE: BulkUpdateDefinition<'groups' | 'date_expired' | 'comment'> = {
  fields: ['groups', 'date_expired', 'comment'],
  specs: { groups: { remote: groupOptions, multiple: true }, date_expired: { noEnd: () => '' } },
  effect: bulkEffect('user'),
};

/** The switch of an account. `on`, `off`: texts for its state. */
export function activeSwitch(on: string, off: string): QuickAction<Account> {
  return {
    id: 'active',
    label: 'users:quick.active',
    icon: Power,
    state: (row) => translate(row.is_active ? on : off),
    disabledReason: notChangeable,
    control: {
      kind: 'switch',
      value: (row) => row.is_active,
      change: switchActive,
    },
  };
}

export function keyReset(state: string): QuickAction<Account> {
  return {
    id: 'key',
    label: 'users:quick.reset_key',
    icon: KeyRound,
    state: () => translate(state),
    disabledReason: notChangeable,
    control: { kind: 'button', label: 'users:quick.reset', run: resetKey },
  };
}

/** Ends all access of an account. `whyNot`: a further reason why it is not offered. */
export function accessReset<Row extends Account>(
  run: (row: Row) => Promise<unknown>,
  whyNot: (row: Row) => string | undefined = () => undefined,
): QuickAction<Row> {
  return {
    id: 'access',
    label: 'users:quick.reset_access',
    icon: OctagonX,
    state: () => translate('users:quick.reset_access_state'),
    disabledReason: (row) => whyNot(row) ?? notChangeable(row),
    control: { kind: 'button', label: 'users:quick.reset_access_do', run },
  };
}

export const UNBLOCK: QuickAction<Account> = {
  id: 'unblock',
  label: 'users:quick.unblock',
  icon: LockOpen,
  state: (row) => translate(row.login_blocked ? 'users:quick.blocked' : 'users:quick.not_blocked'),
  disabledReason: (row) => (row.login_blocked ? notChangeable(row) : translate('users:quick.not_blocked')),
  control: {
    kind: 'button',
    label: 'users:quick.unblock_do',
    run: (row) => http.patch(`users/users/${row.id}/unblock/`, {}),
  },
};

export const END_SESSIONS: QuickAction<Account> = endSessionsAction<Account>('user', (row) => row.name, {
  label: 'users:quick.end_sessions',
  state: 'users:quick.end_sessions_state',
  button: 'users:quick.end_sessions',
});
