import { KeyRound } from 'lucide-react';
import { translate } from '#/lib/i18n';
import type { FieldSpec, ListDefinition, Resource } from '#/resource/define';
import { lazyPart } from '#/resource/lazy-part';
import { Status } from '#/ui/status';

// Only forms need it.
const RulesField = lazyPart(async () => (await import('./RulesField')).RulesField);

/** A provider that vouches for its people, whatever the protocol. */
export interface VouchingRow extends Resource {
  readonly name: string;
  readonly is_active?: boolean;
}

function State({ row }: { readonly row: VouchingRow }) {
  return row.is_active ? (
    <Status tone="ok">{translate('settings:openid.on')}</Status>
  ) : (
    <Status tone="unknown">{translate('settings:openid.off')}</Status>
  );
}

/** The list of a protocol. `named`: the column by which the protocol names a provider. */
export function vouchingList<Row extends VouchingRow, Name extends string & keyof Row>(named: Name) {
  return {
    columns: [
      'name',
      { key: 'slug', sortable: false },
      { key: named, sortable: false },
      { key: 'is_active', sortable: false, cell: (row: Row) => <State row={row} /> },
      'order',
      'comment',
    ],
    shown: ['name', named, 'is_active', 'order'],
    exchange: { export: false, import: false },
    isInactive: (row: Row) => !row.is_active,
    phone: {
      icon: KeyRound,
      meta: (row: Row) => <span className="truncate">{String(row[named])}</span>,
      status: (row: Row) => <State row={row} />,
    },
  } as const satisfies ListDefinition<Row>;
}

/** Fields that the forms of all protocols have. */
export const VOUCHING_FIELDS = {
  slug: { help: 'settings:openid.slug_help', isDisabled: ({ mode }) => mode === 'update' },
  creates_users: { control: 'switch', help: 'settings:openid.creates_help' },
  rules: { render: (input) => <RulesField input={input} /> },
  is_active: { control: 'switch' },
  comment: { control: 'textarea' },
} as const satisfies Record<string, FieldSpec>;
