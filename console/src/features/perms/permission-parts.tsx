import { Power } from 'lucide-react';
import { accessEffect } from '#/domain/access-preview/effects';
import { groupOptions, userOptions } from '#/domain/remotes';
import { http } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import type { Column, QuickAction, RemoteOptions } from '#/resource/define';
import { lazyPart } from '#/resource/lazy-part';
import type { LinkedObjects, PermissionKind, PermissionLinks, PermissionObject, PermissionRow } from './kind';
import { confirm } from '#/ui/confirm';
import { visible } from '#/ui/visible-text';
import { Until, Validity } from './Validity';
import type { ValidityFacts } from './validity';

/** What the screens of all permissions have in common. */

const RelationCard = lazyPart(async () => (await import('#/resource/detail/RelationCard')).RelationCard);

/** The columns that say until when, and whether the permission gives access now. */
export function termsColumns<Row extends ValidityFacts>(): readonly [
  Column<Row, 'date_expired'>,
  Column<Row, 'is_valid'>,
] {
  return [
    { key: 'date_expired', label: 'perms:column.until', cell: (row) => <Until value={row.date_expired} /> },
    { key: 'is_valid', label: 'perms:state.label', sortable: false, cell: (row) => <Validity row={row} /> },
  ];
}

/** Switches the permission on and off. Before it is switched off, the question says who loses what. */
export function activeSwitch<Row extends PermissionRow>({
  links,
  object,
}: Pick<PermissionKind<Row>, 'links' | 'object'>): QuickAction<Row> {
  const write = ({ id }: Row, on: boolean, quiet: boolean) =>
    http.patch(`${links.api}/${id}/`, { is_active: on }, { quiet });
  const ask = (row: Row) =>
    confirm({
      title: translate('perms:quick.question', { name: visible(row.name) }),
      effect: translate('perms:quick.effect'),
      extra: accessEffect([{ object, action: 'update', id: row.id, values: { is_active: false } }]),
      confirmLabel: translate('perms:quick.switch_off'),
      danger: true,
      run: () => write(row, false, true),
    });
  return {
    id: 'active',
    label: 'perms:quick.active',
    icon: Power,
    state: (row) => translate(row.is_active ? 'perms:quick.on' : 'perms:quick.off'),
    control: {
      kind: 'switch',
      value: (row) => row.is_active,
      change: (row, on) => (on ? write(row, true, false) : ask(row)),
    },
  };
}

export const PEOPLE: readonly LinkedObjects[] = [
  {
    title: 'perms:card.users',
    add: 'perms:card.add_user',
    remote: userOptions,
    path: 'users',
    other: 'user',
    linkTo: paths.user,
  },
  {
    title: 'perms:card.groups',
    add: 'perms:card.add_group',
    remote: groupOptions,
    path: 'user-groups',
    other: 'usergroup',
    linkTo: paths.userGroup,
  },
];

export function systemUsersCard(remote: RemoteOptions): LinkedObjects {
  return {
    title: 'perms:card.system_users',
    add: 'perms:card.add_system_user',
    remote,
    path: 'system-users',
    other: 'systemuser',
    linkTo: paths.systemUser,
  };
}

/** The objects that a permission names, with buttons that add and remove them, and what that does to access. */
export function LinkCards({
  links,
  object,
  cards,
  row,
  onChange,
}: {
  readonly links: PermissionLinks;
  readonly object: PermissionObject;
  readonly cards: readonly LinkedObjects[];
  readonly row: Pick<PermissionRow, 'id' | 'name'>;
  readonly onChange: () => void;
}) {
  const effectOf = (way: 'add' | 'remove', path: string, ids: readonly string[]) =>
    accessEffect([
      { object, action: 'update', id: row.id, values: { [way]: { [path.replace('-', '_')]: ids } } },
    ]);
  const mayGo = (path: string) => (other: string, name: string) =>
    confirm({
      title: translate('perms:card.remove_question', { name: visible(name), permission: visible(row.name) }),
      extra: effectOf('remove', path, [other]),
      confirmLabel: translate('perms:card.remove_confirm'),
      danger: true,
    });
  return (
    <div className="grid grid-cols-1 items-start gap-3.5 md:grid-cols-2">
      {cards.map(({ title, add, remote, path, other, linkTo }) => (
        <RelationCard
          key={path}
          title={title}
          add={add}
          remote={remote}
          relation={{ api: `${links.api}-${path}-relations/`, own: links.own, other }}
          id={row.id}
          linkTo={linkTo}
          onChange={onChange}
          beforeRemove={mayGo(path)}
          effectOfAdding={(ids) => effectOf('add', path, ids)}
        />
      ))}
    </div>
  );
}
