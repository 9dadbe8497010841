import { KeyRound } from 'lucide-react';
import { deletionEffect, importEffect } from '#/domain/access-preview/effects';
import { ExplainCard } from '#/domain/explain-access/ExplainCard';
import type { ApiLists } from '#/lib/api-types';
import { translate } from '#/lib/i18n';
import {
  type Column,
  type DetailDefinition,
  type ExtraFilter,
  type FormDefinition,
  type ListDefinition,
  type NamesOf,
  type ResourceDefinition,
} from '#/resource/define';
import { AmountCell } from '#/resource/format';
import { lazyPart } from '#/resource/lazy-part';
import { objectPath } from '#/resource/routes';
import type { OwnColumn, PermissionKind, PermissionRow } from './kind';
import { accountsOf, type NamedObject, whoOf } from './named';
import { NamesCell } from './NamesCell';
import { INHERITED_FILTER, PEOPLE_FIELDS, PEOPLE_FILTERS, TERMS_FIELDS } from './permission-form';
import { activeSwitch, LinkCards, PEOPLE, termsColumns } from './permission-parts';
import { Until, Validity } from './Validity';

const Sentence = lazyPart(async () => (await import('./Sentence')).Sentence);
const PermissionImpact = lazyPart(async () => (await import('./PermissionImpact')).PermissionImpact);

/** Paths of the lists of permissions. */
type Lists = Extract<keyof ApiLists, 'perms/asset-permissions/' | 'perms/application-permissions/'>;
/** Names that all these lists have. */
type Common = NamesOf<Lists, OwnColumn>;

const PLAIN_COLUMNS = [
  'is_expired',
  'is_active',
  'date_start',
  'created_by',
  'date_created',
  'comment',
  'org_name',
] as const satisfies readonly Common['shown'][];

const TERMS = [
  'is_active',
  'date_start',
  'date_expired',
  'comment',
] as const satisfies readonly Common['written'][];
const PEOPLE_GROUP = ['users', 'user_groups'] as const satisfies readonly Common['written'][];
const FILTERS = [...PEOPLE_FILTERS, INHERITED_FILTER] as const satisfies readonly ExtraFilter<
  Common['filter']
>[];

/** A column of named objects. A button opens the names that do not fit. */
function names<Row extends PermissionRow>(
  key: OwnColumn,
  objectsOf: (row: Row) => readonly NamedObject[],
): Column<Row> {
  const label = `perms:column.${key}`;
  return {
    key,
    label,
    sortable: false,
    cell: (row) => <NamesCell objects={objectsOf(row)} label={`${translate(label)}: ${row.name}`} />,
  };
}

const first = (objects: readonly NamedObject[]): string =>
  objects.length > 1 ? `${objects[0]?.name} +${objects.length - 1}` : (objects[0]?.name ?? '—');

function listOf<Row extends PermissionRow>(kind: PermissionKind<Row>): ListDefinition<Row> {
  const { place, columns, amounts, filters, phone, untyped = [], createMenu } = kind.list;
  const page = kind.routes.paths.detail ?? '';
  // i18n: perms:amount.*
  const amount = (key: keyof Row & string, tab: 'people' | 'targets'): Column<Row> => ({
    key,
    label: `perms:amount.${key.replace('_amount', '')}`,
    align: 'right',
    sortable: true,
    cell: (row) => <AmountCell value={row[key]} to={`${objectPath(page, row.id)}?activeTab=${tab}`} />,
  });
  const terms = termsColumns<Row>();
  return {
    exchange: { importEffect: importEffect(kind.object) },
    place,
    columns: [
      'name',
      names<Row>('who', whoOf),
      names('what', kind.whatOf),
      names<Row>('as_whom', accountsOf),
      ...terms,
      ...columns,
      amount('users_amount', 'people'),
      amount('user_groups_amount', 'people'),
      ...amounts.map((key) => amount(key, 'targets')),
      amount('system_users_amount', 'targets'),
      ...PLAIN_COLUMNS,
    ],
    shown: ['name', 'who', 'what', 'as_whom', ...terms.map((column) => column.key)],
    filters: [...FILTERS, ...filters],
    untyped,
    ...(createMenu ? { createMenu } : {}),
    isInactive: (row) => !row.is_valid,
    phone: {
      icon: KeyRound,
      meta: (row) => (
        <span>
          {first(whoOf(row))} → {first(kind.whatOf(row))}
        </span>
      ),
      note: (row) => (
        <>
          {phone && <div>{phone(row)}</div>}
          <div>
            {translate('perms:column.as_whom')}: {first(accountsOf(row))}
          </div>
          <div className="whitespace-nowrap">
            {translate('perms:column.until')}: <Until value={row.date_expired} />
          </div>
        </>
      ),
      status: (row) => <Validity row={row} />,
    },
  };
}

function formOf<Row extends PermissionRow>(kind: PermissionKind<Row>): FormDefinition {
  const { basic, targets, more, initial, fields, explain } = kind.form;
  return {
    groups: [
      { title: 'perms:form.basic', fields: ['name', ...basic] },
      { title: 'perms:form.user', fields: PEOPLE_GROUP },
      targets,
      ...more,
      { title: 'perms:form.other', fields: TERMS },
    ],
    initial,
    fields: { ...PEOPLE_FIELDS, ...fields, ...TERMS_FIELDS },
    aside: ({ values, id }) => (
      <div className="grid gap-3.5">
        <PermissionImpact kind={kind} values={values} id={id} />
        <ExplainCard {...explain(values)} />
      </div>
    ),
  };
}

function detailOf<Row extends PermissionRow>(kind: PermissionKind<Row>): DetailDefinition<Row> {
  const { links, object, actionsOf } = kind;
  const { facts, explain, tab, cards } = kind.detail;
  return {
    status: (row) => <Validity row={row} />,
    cards: [
      {
        title: 'perms:form.basic',
        fields: ['name', ...facts, 'is_active', 'date_created', 'created_by', 'comment'],
      },
    ],
    lead: (row) => (
      <Sentence
        row={row}
        what={kind.whatOf(row)}
        icon={kind.icon}
        nothing={kind.nothing}
        actions={actionsOf?.(row)}
      />
    ),
    quick: [activeSwitch(kind)],
    side: (row) => <ExplainCard {...explain(row)} />,
    tabs: [
      {
        id: 'people',
        label: 'perms:tab.people',
        content: (row, tools) => (
          <LinkCards links={links} object={object} cards={PEOPLE} row={row} onChange={tools.refresh} />
        ),
      },
      {
        id: 'targets',
        label: tab,
        content: (row, tools) => (
          <LinkCards
            links={links}
            object={object}
            cards={cards(row, tools)}
            row={row}
            onChange={tools.refresh}
          />
        ),
      },
    ],
  };
}

/** The list, form and page of one kind of permission. Names that its list does not have are type errors in `kind`. */
export function permissionResource<Row extends PermissionRow, Path extends Lists>(
  kind: PermissionKind<Row, NamesOf<Path>>,
): ResourceDefinition<Row>;
export function permissionResource<Row extends PermissionRow>(
  kind: PermissionKind<Row>,
): ResourceDefinition<Row> {
  return {
    name: kind.name,
    api: `${kind.links.api}/`,
    routes: kind.routes,
    icon: KeyRound,
    nameOf: (row) => row.name,
    noun: kind.noun,
    can: { delete: () => true },
    deleteEffect: deletionEffect(kind.object),
    list: listOf(kind),
    form: formOf(kind),
    detail: detailOf(kind),
  };
}
