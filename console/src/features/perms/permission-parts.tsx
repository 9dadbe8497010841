import { Power } from 'lucide-react';
import { groupOptions, userOptions } from '#/domain/remotes';
import { http } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import type { Column, QuickAction, RemoteOptions, Resource } from '#/resource/define';
import { lazyPart } from '#/resource/lazy-part';
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

/** Switches the permission on and off. `api` is its list. */
export function activeSwitch<Row extends Resource & { readonly is_active: boolean }>(
  api: string,
): QuickAction<Row> {
  return {
    id: 'active',
    label: 'perms:quick.active',
    icon: Power,
    state: (row) => translate(row.is_active ? 'perms:quick.on' : 'perms:quick.off'),
    control: {
      kind: 'switch',
      value: (row) => row.is_active,
      change: (row, on) => http.patch(`${api}${row.id}/`, { is_active: on }),
    },
  };
}

/** Where the links of a kind of permission are. `own` is the field of a link that names the permission. */
export interface PermissionLinks {
  readonly api: 'perms/asset-permissions' | 'perms/application-permissions';
  readonly own: string;
}

/** Objects of one kind that a permission names: they have a card of their own. */
export interface LinkedObjects {
  readonly title: string;
  readonly add: string;
  readonly remote: RemoteOptions;
  /** The word for them in the address of the links: `user-groups`. */
  readonly path: string;
  /** The field of a link that names the object. */
  readonly other: string;
  readonly linkTo: (id: string) => string;
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

/** The objects that a permission names, with buttons that add and remove them. */
export function LinkCards({
  links,
  cards,
  id,
  onChange,
}: {
  readonly links: PermissionLinks;
  readonly cards: readonly LinkedObjects[];
  readonly id: string;
  readonly onChange: () => void;
}) {
  return (
    <div className="grid grid-cols-1 items-start gap-3.5 md:grid-cols-2">
      {cards.map(({ title, add, remote, path, other, linkTo }) => (
        <RelationCard
          key={path}
          title={title}
          add={add}
          remote={remote}
          relation={{ api: `${links.api}-${path}-relations/`, own: links.own, other }}
          id={id}
          linkTo={linkTo}
          onChange={onChange}
        />
      ))}
    </div>
  );
}
