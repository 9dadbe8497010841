import type { Api } from '#/lib/api-types';
import { paths } from '#/lib/paths';
import { AccessHistory } from '#/domain/access-history/AccessHistory';
import { CATEGORY_ICONS } from '#/domain/application-kinds/icons';
import { type ApplicationCategory, createEntries, protocolOf } from '#/domain/application-kinds/kinds';
import { systemUsersSpeaking } from '#/domain/application-kinds/options';
import { ApplicationGrants } from '#/domain/grants/Grants';
import { domainOptions } from '#/domain/remotes';
import {
  type Column,
  defineResource,
  type DetailField,
  type NamesOf,
  type ResourceDefinition,
} from '#/resource/define';
import { CopyCell } from '#/resource/format';
import { ExplainCard } from '#/domain/explain-access/ExplainCard';
import { lazyPart } from '#/resource/lazy-part';
import { CellLink } from '#/ui/link';
import { Missing } from '#/ui/status';
import { VisibleText } from '#/ui/visible-text';
import { applicationRoutes } from './addresses';
import { applicationForm } from './application-form';

const ApplicationAccounts = lazyPart(async () => (await import('./ApplicationAccounts')).ApplicationAccounts);
const RemoteNames = lazyPart(async () => (await import('#/resource/detail/RemoteNames')).RemoteNames);

export type ApplicationRow = Pick<
  Api<'Application'>,
  'id' | 'name' | 'category' | 'type' | 'type_display' | 'attrs' | 'domain' | 'comment'
>;
type Shown = NamesOf<'applications/applications/'>['shown'];
type Attribute = keyof ApplicationRow['attrs'] & string;
type Cell = Column<ApplicationRow, Shown>;
type Fact = DetailField<ApplicationRow, Shown>;

/** The Windows host that runs the program; nothing once it was deleted. */
function Host({ row }: { readonly row: ApplicationRow }) {
  const { id, hostname } = row.attrs.asset_info ?? {};
  if (id === undefined || hostname === undefined) return <Missing />;
  return (
    <CellLink to={paths.asset(id)} className="pt-link">
      <VisibleText text={hostname} />
    </CellLink>
  );
}

// i18n: applications:attr.*
function labelOf(name: Attribute): string {
  return `applications:attr.${name.replace(/^(?:chrome|mysql_workbench|vmware|custom)_/, '')}`;
}

/** A column of the list for an attribute that all types of the category have. */
function attribute(name: Attribute): Cell {
  return {
    key: `attrs.${name}`,
    label: labelOf(name),
    sortable: false,
    ...(name === 'port' ? { align: 'right' as const } : {}),
  };
}

const host: Cell = {
  key: 'attrs.asset',
  label: 'applications:attr.asset',
  sortable: false,
  cell: (row) => <Host row={row} />,
};

/** A line of the page for an attribute; types that do not have it leave the line out. */
function fact(name: Attribute, copied = false): Fact {
  return {
    key: `attrs.${name}`,
    label: labelOf(name),
    isShown: (row) => row.attrs[name] !== undefined,
    ...(copied ? { value: (row: ApplicationRow) => <CopyCell value={row.attrs[name]} /> } : {}),
  };
}

interface Kind {
  readonly columns: readonly Cell[];
  readonly facts: readonly Fact[];
  /** The second line of a row on a phone. */
  readonly place: (row: ApplicationRow) => string;
}

const KINDS: Readonly<Record<ApplicationCategory, Kind>> = {
  remote_app: {
    columns: [host],
    facts: [
      {
        key: 'attrs.asset',
        label: 'applications:attr.asset',
        value: (row) => <Host row={row} />,
      },
      fact('path', true),
      fact('chrome_target', true),
      fact('chrome_username'),
      fact('mysql_workbench_ip', true),
      fact('mysql_workbench_port'),
      fact('mysql_workbench_name'),
      fact('mysql_workbench_username'),
      fact('vmware_target', true),
      fact('vmware_username'),
      fact('custom_cmdline', true),
      fact('custom_target', true),
      fact('custom_username'),
    ],
    place: (row) => row.attrs.asset_info?.['hostname'] ?? '',
  },
  db: {
    columns: [attribute('host'), attribute('port'), attribute('database')],
    facts: [fact('host', true), fact('port'), fact('database', true)],
    place: ({ attrs }) => `${attrs.host ?? ''}:${attrs.port ?? ''} · ${attrs.database ?? ''}`,
  },
  cloud: {
    columns: [attribute('cluster')],
    facts: [fact('cluster', true)],
    place: ({ attrs }) => attrs.cluster ?? '',
  },
};

const domain: Fact = {
  key: 'domain',
  isShown: (row) => row.category !== 'remote_app',
  value: (row) =>
    row.domain === null ? <Missing /> : <RemoteNames remote={domainOptions} ids={[row.domain]} />,
};

// i18n: applications:noun.*
function definition(category: ApplicationCategory): ResourceDefinition<ApplicationRow> {
  const { columns, facts, place } = KINDS[category];
  const icon = CATEGORY_ICONS[category];
  const routes = applicationRoutes[category];
  return defineResource<ApplicationRow, 'applications/applications/'>({
    name: `${routes.names.list}Table`,
    api: 'applications/applications/',
    routes,
    icon,
    nameOf: (row) => row.name,
    noun: {
      one: `applications:noun.${category}.one`,
      many: `applications:noun.${category}.many`,
      what: `applications:noun.${category}.what`,
    },
    can: { delete: () => true },
    list: {
      columns: [
        'name',
        'type',
        ...columns,
        'created_by',
        'date_created',
        'date_updated',
        'comment',
        'org_name',
      ],
      shown: ['name', 'type', ...columns.map((column) => column.key), 'comment'],
      untyped: ['category', 'type__in'],
      createMenu: () => createEntries(routes.paths.create ?? '', [category]),
      phone: {
        icon,
        meta: (row) => (
          <span className="truncate">
            <VisibleText text={place(row)} />
          </span>
        ),
        status: (row) => <span>{row.type_display}</span>,
      },
    },
    form: applicationForm(category),
    detail: {
      cards: [
        {
          title: 'applications:form.basic',
          fields: ['name', 'type', ...facts, domain, 'date_created', 'created_by', 'date_updated', 'comment'],
        },
      ],
      side: (row) => (
        <ExplainCard application={row.id} systemUsers={systemUsersSpeaking(protocolOf(row.type))} />
      ),
      tabs: [
        {
          id: 'access',
          label: 'applications:tab.access',
          content: (row) => (
            <ApplicationGrants
              place={{ kind: 'application', id: row.id, category: row.category, type: row.type }}
            />
          ),
        },
        {
          id: 'history',
          label: 'applications:tab.history',
          permission: 'audit',
          content: (row) => <AccessHistory kind="application" id={row.id} />,
        },
        {
          id: 'accounts',
          label: 'applications:tab.accounts',
          content: (row) => <ApplicationAccounts application={row.id} />,
        },
      ],
    },
  });
}

/** The applications of each category: one list, form and page for each. */
export const application: Readonly<Record<ApplicationCategory, ResourceDefinition<ApplicationRow>>> = {
  remote_app: definition('remote_app'),
  db: definition('db'),
  cloud: definition('cloud'),
};
