import { KeyRound } from 'lucide-react';
import type { Api } from '#/lib/api-types';
import { translate } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { type ApplicationCategory, createEntries } from '#/domain/application-kinds/kinds';
import { type Column, defineResource, type ResourceDefinition } from '#/resource/define';
import { AmountCell, TimeCell } from '#/resource/format';
import { GrantState, People } from './cells';

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
  | 'date_start'
  | 'date_expired'
  | 'users_amount'
  | 'user_groups_amount'
  | 'applications_amount'
  | 'system_users_amount'
>;
type Amount = 'users_amount' | 'user_groups_amount' | 'applications_amount' | 'system_users_amount';
type Own = 'everybody' | 'state';
type Cell = Column<Row, Amount | Own>;

const API = 'perms/application-permissions/';
const CREATE = paths.createApplicationPermission;

const YES_NO = [
  { value: '1', label: 'resource:yes' },
  { value: '0', label: 'resource:no' },
];

// i18n: grants:amount.*
function amount(key: Amount, tab: 'people' | 'targets'): Cell {
  return {
    key,
    label: `grants:amount.${key.replace('_amount', '')}`,
    align: 'right',
    sortable: true,
    cell: (row) => (
      <AmountCell value={row[key]} to={`${paths.applicationPermission(row.id)}?activeTab=${tab}`} />
    ),
  };
}

const everybody: Cell = {
  key: 'everybody',
  label: 'grants:everybody',
  sortable: false,
  cell: (row) => <People list={API} id={row.id} />,
};
const users = amount('users_amount', 'people');
const groups = amount('user_groups_amount', 'people');
const applications = amount('applications_amount', 'targets');
const systemUsers = amount('system_users_amount', 'targets');

const COLUMNS: Readonly<Record<ApplicationGrantPlace['kind'], readonly Cell[]>> = {
  application: [users, groups, everybody, systemUsers],
  user: [applications, systemUsers],
  user_group: [applications, systemUsers],
  system_user: [users, groups, everybody, applications],
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
      columns: [
        'name',
        'type',
        ...columns,
        { key: 'date_expired', label: 'grants:until', cell: (row) => <TimeCell value={row.date_expired} /> },
        {
          key: 'state',
          label: 'grants:state.label',
          sortable: false,
          cell: (row) => <GrantState row={row} />,
        },
        'comment',
      ],
      shown: ['name', 'type', ...columns.map((column) => column.key), 'date_expired', 'state'],
      filters: [
        { key: 'name', label: 'grants:filter.name' },
        { key: 'is_valid', label: 'grants:filter.is_valid', choices: YES_NO },
        { key: 'username', label: 'grants:filter.username' },
        { key: 'user_group', label: 'grants:filter.user_group' },
        { key: 'app_name', label: 'grants:filter.application' },
        { key: 'system_user', label: 'grants:filter.system_user' },
      ],
      untyped: ['type__in'],
      createMenu: () => entriesFor(place),
      isInactive: (row) => !row.is_valid,
      phone: {
        icon: KeyRound,
        meta: (row) => <span>{row.type_display}</span>,
        note: (row) => (
          <div className="whitespace-nowrap">
            {translate('grants:until')}: <TimeCell value={row.date_expired} />
          </div>
        ),
        status: (row) => <GrantState row={row} />,
      },
    },
  });
}
