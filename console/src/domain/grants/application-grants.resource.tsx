import { KeyRound } from 'lucide-react';
import type { Api } from '#/lib/api-types';
import { paths } from '#/lib/paths';
import { type ApplicationCategory, createEntries } from '#/domain/application-kinds/kinds';
import { type Column, defineResource, type ResourceDefinition } from '#/resource/define';
import { ChipsCell } from '#/resource/format';
import { GrantPeople, GrantState, GrantTerms } from './cells';
import { accounts, everybody, people, PEOPLE_FILTERS, state, until } from './grant-columns';

/** The object whose page shows the application permissions. */
export interface ApplicationGrantPlace {
  readonly kind: 'application' | 'user' | 'user_group' | 'system_user';
  readonly id: string;
  /** Of an application: a permission for it must be of its type. */
  readonly category?: ApplicationCategory;
  readonly type?: string;
}

type Row = Pick<
  Api<'ApplicationPermission'>,
  | 'id'
  | 'name'
  | 'type_display'
  | 'is_active'
  | 'is_valid'
  | 'is_expired'
  | 'date_start'
  | 'date_expired'
  | 'users_display'
  | 'user_groups_display'
  | 'applications_display'
  | 'system_users_display'
>;
type Own = 'people' | 'everybody' | 'targets' | 'state';
type Cell = Column<Row, Own | 'system_users_display'>;

const API = 'perms/application-permissions/';
const CREATE = paths.createApplicationPermission;

const everyone = everybody(API);
const targets: Cell = {
  key: 'targets',
  label: 'grants:what',
  sortable: false,
  cell: (row) => <ChipsCell values={row.applications_display} />,
};

/** The column of the object itself is left out. */
const COLUMNS: Readonly<Record<ApplicationGrantPlace['kind'], readonly Cell[]>> = {
  application: [people, everyone, accounts],
  user: [targets, accounts],
  user_group: [targets, accounts],
  system_user: [people, everyone, targets],
};

/** Ways to create a permission for the object; an application fixes the type. */
function entriesFor({ kind, id, category, type }: ApplicationGrantPlace) {
  const all = createEntries(CREATE, category === undefined ? undefined : [category], { [kind]: id });
  return type === undefined ? all : all.filter((entry) => entry.id === type);
}

/** Application permissions on the page of one object: read-only there, edited on their own screens. */
export function applicationGrantsSeenFrom(place: ApplicationGrantPlace): ResourceDefinition<Row> {
  const columns = COLUMNS[place.kind];
  const none = place.kind === 'application' ? 'application' : `app_${place.kind}`;
  return defineResource<Row, 'perms/application-permissions/', Own>({
    name: `ApplicationPermissionsOf-${place.kind}`,
    api: API,
    routes: {
      names: { list: 'ApplicationPermissionList' },
      paths: { list: '/perms/app-permissions', create: CREATE, detail: '/perms/app-permissions/$id' },
      titles: { list: 'nav:app_permission_list', create: 'nav:app_permission_create' },
    },
    icon: KeyRound,
    nameOf: (row) => row.name,
    noun: { one: 'grants:one', many: 'grants:many', what: `grants:none.${none}` },
    can: { clone: false, update: () => false, deleteMany: false },
    list: {
      columns: ['name', 'type', ...columns, until, state, 'comment'],
      shown: ['name', 'type', ...columns.map((column) => column.key), 'date_expired', 'state'],
      filters: [
        ...PEOPLE_FILTERS,
        { key: 'app_name', label: 'grants:filter.application' },
        { key: 'system_user', label: 'grants:filter.system_user' },
      ],
      untyped: ['type__in'],
      createMenu: () => entriesFor(place),
      isInactive: (row) => !row.is_valid,
      phone: {
        icon: KeyRound,
        meta: (row) =>
          columns.includes(people) ? (
            <GrantPeople row={row} />
          ) : (
            <ChipsCell values={row.applications_display} />
          ),
        note: (row) => (
          <>
            <div>{row.type_display}</div>
            <GrantTerms row={row} accounts={columns.includes(accounts)} />
          </>
        ),
        status: (row) => <GrantState row={row} />,
      },
    },
  });
}
