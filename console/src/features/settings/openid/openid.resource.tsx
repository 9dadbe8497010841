import { KeyRound } from 'lucide-react';
import type { Api } from '#/lib/api-types';
import { translate } from '#/lib/i18n';
import { defineResource } from '#/resource/define';
import { lazyPart } from '#/resource/lazy-part';
import { Status } from '#/ui/status';
import { openidRoutes, openidTab } from '../addresses';

// Only forms need them.
const SecretInput = lazyPart(async () => (await import('../SecretInput')).SecretInput);
const ProviderAside = lazyPart(async () => (await import('./ProviderAside')).ProviderAside);
const RulesField = lazyPart(async () => (await import('./RulesField')).RulesField);

export type OpenidRow = Pick<
  Api<'OpenidProvider'>,
  'id' | 'name' | 'slug' | 'issuer' | 'client_id' | 'is_active' | 'order'
>;

function State({ row }: { readonly row: OpenidRow }) {
  return row.is_active ? (
    <Status tone="ok">{translate('settings:openid.on')}</Status>
  ) : (
    <Status tone="unknown">{translate('settings:openid.off')}</Status>
  );
}

const CLAIMS = ['username_claim', 'name_claim', 'email_claim'] as const;

export const openidProvider = defineResource<OpenidRow, 'authentication/openid-providers/'>({
  name: 'OpenidProviderTable',
  api: 'authentication/openid-providers/',
  routes: openidRoutes,
  icon: KeyRound,
  nameOf: (row) => row.name,
  noun: { one: 'settings:openid.one', many: 'settings:openid.many', what: 'settings:openid.what' },
  shared: true,
  can: { clone: false },
  list: {
    columns: [
      'name',
      { key: 'slug', sortable: false },
      { key: 'issuer', sortable: false },
      { key: 'is_active', sortable: false, cell: (row) => <State row={row} /> },
      'order',
      'comment',
    ],
    shown: ['name', 'issuer', 'is_active', 'order'],
    exchange: { export: false, import: false },
    isInactive: (row) => !row.is_active,
    phone: {
      icon: KeyRound,
      meta: (row) => <span className="truncate">{row.issuer}</span>,
      status: (row) => <State row={row} />,
    },
  },
  form: {
    groups: [
      {
        title: 'settings:openid.group_provider',
        fields: ['name', 'slug', 'issuer', 'client_id', 'client_secret', 'scopes'],
      },
      { title: 'settings:openid.group_people', fields: ['creates_users', 'adopts_users', ...CLAIMS] },
      { title: 'settings:openid.group_rights', fields: ['rules'] },
      { title: 'settings:openid.group_page', fields: ['order', 'is_active', 'signs_out', 'comment'] },
    ],
    initial: () => ({ rules: [] }),
    fields: {
      slug: { help: 'settings:openid.slug_help', isDisabled: ({ mode }) => mode === 'update' },
      issuer: { placeholder: 'https://login.example.com', help: 'settings:openid.issuer_help' },
      client_secret: {
        render: (input) => <SecretInput input={input} isSet={false} />,
        help: ({ mode }) =>
          mode === 'update' ? 'settings:openid.secret_keeps' : 'settings:openid.secret_help',
      },
      creates_users: { control: 'switch', help: 'settings:openid.creates_help' },
      adopts_users: { control: 'switch', help: 'settings:openid.adopts_help' },
      username_claim: { help: 'settings:openid.claim_help' },
      rules: { render: (input) => <RulesField input={input} /> },
      is_active: { control: 'switch' },
      signs_out: { control: 'switch', help: 'settings:openid.signs_out_help' },
      comment: { control: 'textarea' },
    },
    backTo: () => openidTab,
    aside: ({ values, id }) => <ProviderAside values={values} id={id} />,
  },
});
