import { MonitorCog } from 'lucide-react';
import type { Api } from '#/lib/api-types';
import { translate } from '#/lib/i18n';
import { defineResource, type FieldContext } from '#/resource/define';
import { lazyPart } from '#/resource/lazy-part';
import { objectPath } from '#/resource/routes';
import { Switch } from '#/ui/choice';
import { AppLink } from '#/ui/link';
import { Note } from '#/ui/note';
import { Chip, Count } from '#/ui/status';
import { platformRoutes } from './addresses';

const PlatformAssets = lazyPart(async () => (await import('./ListedAssets')).PlatformAssets);

export type PlatformRow = Api<'Platform'>;

const WINDOWS = 'Windows';

function isNotWindows({ values }: FieldContext): boolean {
  return values['base'] !== WINDOWS;
}

function isOwn(row: PlatformRow): boolean {
  return !row.internal;
}

function builtIn(row: PlatformRow): string {
  return translate('assets:platform.built_in_what', { name: row.name });
}

/** The number of assets in all organizations; the link leads to the assets of the current organization. */
function Users({ row }: { readonly row: PlatformRow }) {
  if (row.asset_count === null) return null;
  const amount = <span className="tabular-nums">{row.asset_count.toLocaleString('en')}</span>;
  if (row.asset_count === 0) return <span className="text-ink-3">{amount}</span>;
  return (
    <AppLink to={`${objectPath(platformRoutes.paths.detail, row.id)}?activeTab=assets`}>{amount}</AppLink>
  );
}

function Origin({ row }: { readonly row: PlatformRow }) {
  return row.internal ? <Chip>{translate('assets:platform.built_in')}</Chip> : null;
}

/** A setting of a Windows platform; an em dash for platforms of another base, which have none. */
function windowsSetting(key: 'security' | 'console', textOf: (row: PlatformRow) => string) {
  return {
    key: `meta.${key}` as const,
    label: `assets:platform.${key}`,
    value: (row: PlatformRow) => (row.base === WINDOWS ? textOf(row) : null),
  };
}

// i18n: assets:platform.security_words.*
export const platform = defineResource<PlatformRow, 'assets/platforms/'>({
  name: 'PlatformListTable',
  api: 'assets/platforms/',
  routes: platformRoutes,
  icon: MonitorCog,
  nameOf: (row) => row.name,
  noun: {
    one: 'assets:platform_noun.one',
    many: 'assets:platform_noun.many',
    what: 'assets:platform_noun.what',
  },
  shared: true,
  can: { update: isOwn, fixed: builtIn, delete: isOwn, kept: builtIn, deleteMany: false },
  list: {
    columns: [
      'name',
      'base',
      'charset',
      {
        key: 'asset_count',
        align: 'right',
        sortable: false,
        cell: (row) => <Users row={row} />,
      },
      {
        key: 'internal',
        label: 'assets:platform.origin',
        sortable: false,
        cell: (row) => <Origin row={row} />,
      },
      'comment',
    ],
    phone: {
      icon: MonitorCog,
      meta: (row) => <span>{row.base}</span>,
      status: (row) => (row.asset_count === null ? null : <Count>{row.asset_count}</Count>),
    },
  },
  form: {
    groups: [{ title: 'assets:form.basic', fields: ['name', 'base', 'charset', 'meta', 'comment'] }],
    initial: () => ({ base: 'Linux', charset: 'utf8', meta: { security: 'any', console: 'false' } }),
    fields: {
      name: { help: 'assets:platform.name_help' },
      charset: { help: 'assets:platform.charset_help' },
      meta: { label: 'assets:platform.meta', isHidden: isNotWindows },
      'meta.security': { label: 'assets:platform.security', help: 'assets:platform.security_help' },
      'meta.console': {
        label: 'assets:platform.console',
        help: 'assets:platform.console_help',
        render: ({ id, label, value, onChange, describedBy, disabled }) => (
          <Switch
            id={id}
            aria-label={label}
            aria-describedby={describedBy}
            disabled={disabled}
            checked={value === 'true'}
            onChange={(event) => onChange(String(event.target.checked))}
          />
        ),
      },
      comment: { control: 'textarea' },
    },
    // An older platform may lack a setting; what was never chosen is not sent.
    toPayload: (values) => {
      const { meta } = values;
      if (typeof meta !== 'object' || meta === null) return values;
      const chosen = Object.entries(meta).filter(([, value]) => value !== '' && value !== null);
      return { ...values, meta: Object.fromEntries(chosen) };
    },
    opensDetail: 'create',
  },
  detail: {
    status: (row) => <Origin row={row} />,
    lead: (row) => (row.internal ? <Note>{builtIn(row)}</Note> : null),
    cards: [
      {
        title: 'assets:form.basic',
        fields: [
          'name',
          'base',
          'charset',
          { key: 'asset_count', value: (row) => <Users row={row} /> },
          windowsSetting('security', (row) =>
            translate(`assets:platform.security_words.${row.meta?.security ?? 'any'}`),
          ),
          windowsSetting('console', (row) =>
            translate(row.meta?.console === 'true' ? 'assets:platform.on' : 'assets:platform.off'),
          ),
          'comment',
        ],
      },
    ],
    tabs: [
      {
        id: 'assets',
        label: 'assets:platform.assets_here',
        content: (row) => <PlatformAssets platform={row.name} />,
      },
    ],
  },
});
