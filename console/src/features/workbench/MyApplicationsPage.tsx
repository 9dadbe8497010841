import { KeyRound } from 'lucide-react';
import { useMemo } from 'react';
import { AdminPageLink } from '#/domain/admin-page/AdminPageLink';
import { mayGrant } from '#/domain/admin-page/may-grant';
import { type GrantedApplicationRow, GrantedSystemUsers } from '#/domain/application-kinds/granted';
import { CATEGORY_ICONS } from '#/domain/application-kinds/icons';
import type { ApplicationCategory } from '#/domain/application-kinds/kinds';
import { translate, useT } from '#/lib/i18n';
import { paths } from '#/lib/paths';
import { useSession } from '#/lib/session';
import { type Column, defineResource, type NamesOf } from '#/resource/define';
import { CopyCell } from '#/resource/format';
import { ResourceList } from '#/resource/list/ResourceList';
import { Note } from '#/ui/note';
import { VisibleText } from '#/ui/visible-text';
import { myApplicationRoutes } from './my-application-routes';

type Shown = NamesOf<'perms/users/applications/', 'system_users'>['shown'];
type Cell = Column<GrantedApplicationRow, Shown>;

interface Kind {
  /** What the person needs to find the application. */
  readonly columns: readonly Cell[];
  readonly place: (row: GrantedApplicationRow) => string;
}

const KINDS: Readonly<Record<ApplicationCategory, Kind>> = {
  remote_app: {
    columns: [
      {
        key: 'attrs.asset_info',
        label: 'workbench:app.host',
        sortable: false,
        cell: (row) => <VisibleText text={row.attrs.asset_info?.['hostname'] ?? ''} />,
      },
    ],
    place: ({ attrs }) => attrs.asset_info?.['hostname'] ?? '',
  },
  db: {
    columns: [
      {
        key: 'attrs.host',
        label: 'workbench:app.address',
        sortable: false,
        cell: ({ attrs }) => <CopyCell value={`${attrs.host ?? ''}:${attrs.port ?? ''}`} />,
      },
      { key: 'attrs.database', label: 'workbench:app.database', sortable: false },
    ],
    place: ({ attrs }) => attrs.database ?? '',
  },
  cloud: {
    columns: [
      {
        key: 'attrs.cluster',
        label: 'workbench:app.cluster',
        sortable: false,
        cell: ({ attrs }) => <CopyCell value={attrs.cluster} />,
      },
    ],
    place: ({ attrs }) => attrs.cluster ?? '',
  },
};

// i18n: workbench:app_noun.*
function definition(category: ApplicationCategory, maySelf: boolean) {
  const { columns, place } = KINDS[category];
  const icon = CATEGORY_ICONS[category];
  return defineResource<GrantedApplicationRow, 'perms/users/applications/', 'system_users'>({
    name: `My-${category}`,
    api: 'perms/users/applications/',
    routes: myApplicationRoutes[category],
    icon,
    nameOf: (row) => row.name,
    noun: {
      one: `workbench:app_noun.${category}.one`,
      many: `workbench:app_noun.${category}.many`,
      what: `workbench:app_noun.${category}.${maySelf ? 'what_to_grant' : 'what'}`,
    },
    can: { create: false, deleteMany: false },
    list: {
      ...(maySelf
        ? {
            steps: () => (
              <AdminPageLink kind="primary" icon={KeyRound} to={paths.createApplicationPermission}>
                {translate('workbench:grant.application')}
              </AdminPageLink>
            ),
          }
        : { next: { label: 'workbench:ask', to: paths.help('support') } }),
      columns: [
        'name',
        'type',
        ...columns,
        {
          key: 'system_users',
          label: 'workbench:system_users',
          sortable: false,
          cell: (row) => <GrantedSystemUsers base="perms/users/" id={row.id} />,
        },
        'comment',
        'org_name',
      ],
      shown: ['name', 'type', ...columns.map((column) => column.key), 'system_users', 'comment'],
      untyped: ['id', 'category', 'type__in'],
      phone: {
        icon,
        meta: (row) => (
          <span className="truncate">
            <VisibleText text={place(row)} />
          </span>
        ),
        note: (row) => (
          <>
            {translate('workbench:system_users')}: <GrantedSystemUsers base="perms/users/" id={row.id} />
          </>
        ),
        status: (row) => <span>{row.type_display}</span>,
      },
    },
  });
}

const QUERIES = {
  remote_app: { category: 'remote_app' },
  db: { category: 'db' },
  cloud: { category: 'cloud' },
} as const;

// i18n: workbench:app_note.*
/** The applications of a category that the person may use, and what they can do with them here. */
export function MyApplicationsPage({ category }: { readonly category: ApplicationCategory }) {
  const t = useT();
  const maySelf = mayGrant(useSession());
  const resource = useMemo(() => definition(category, maySelf), [category, maySelf]);
  return (
    <ResourceList
      resource={resource}
      query={QUERIES[category]}
      strip={<Note>{t(`workbench:app_note.${category}`)}</Note>}
    />
  );
}
