import { KeyRound } from 'lucide-react';
import type { Api } from '#/lib/api-types';
import { translate } from '#/lib/i18n';
import { defineResource } from '#/resource/define';
import { lazyPart } from '#/resource/lazy-part';
import { Status } from '#/ui/status';
import { samlRoutes, samlTab } from '../addresses';

// Only forms need them.
const ProviderAside = lazyPart(async () => (await import('./ProviderAside')).ProviderAside);
const RulesField = lazyPart(async () => (await import('../openid/RulesField')).RulesField);

export type SamlRow = Pick<
  Api<'SamlProvider'>,
  'id' | 'name' | 'slug' | 'idp_entity_id' | 'sso_url' | 'is_active' | 'order'
>;

function State({ row }: { readonly row: SamlRow }) {
  return row.is_active ? (
    <Status tone="ok">{translate('settings:openid.on')}</Status>
  ) : (
    <Status tone="unknown">{translate('settings:openid.off')}</Status>
  );
}

const CLAIMS = ['username_claim', 'name_claim', 'email_claim', 'subject_claim'] as const;

export const samlProvider = defineResource<SamlRow, 'authentication/saml-providers/'>({
  name: 'SamlProviderTable',
  api: 'authentication/saml-providers/',
  routes: samlRoutes,
  icon: KeyRound,
  nameOf: (row) => row.name,
  noun: { one: 'settings:openid.one', many: 'settings:openid.many', what: 'settings:saml.what' },
  shared: true,
  can: { clone: false },
  list: {
    columns: [
      'name',
      { key: 'slug', sortable: false },
      { key: 'idp_entity_id', sortable: false },
      { key: 'is_active', sortable: false, cell: (row) => <State row={row} /> },
      'order',
      'comment',
    ],
    shown: ['name', 'idp_entity_id', 'is_active', 'order'],
    exchange: { export: false, import: false },
    isInactive: (row) => !row.is_active,
    phone: {
      icon: KeyRound,
      meta: (row) => <span className="truncate">{row.idp_entity_id}</span>,
      status: (row) => <State row={row} />,
    },
  },
  form: {
    groups: [
      {
        title: 'settings:openid.group_provider',
        fields: ['name', 'slug', 'metadata', 'idp_entity_id', 'sso_url', 'slo_url', 'certificates'],
      },
      { title: 'settings:openid.group_people', fields: ['creates_users', 'adopts_users', ...CLAIMS] },
      { title: 'settings:openid.group_rights', fields: ['rules'] },
      {
        title: 'settings:openid.group_page',
        fields: ['order', 'is_active', 'name_format', 'signs_requests', 'comment'],
      },
    ],
    initial: () => ({ rules: [] }),
    fields: {
      slug: { help: 'settings:openid.slug_help', isDisabled: ({ mode }) => mode === 'update' },
      metadata: { control: 'textarea' },
      sso_url: { placeholder: 'https://login.example.com/sso' },
      certificates: { control: 'textarea' },
      creates_users: { control: 'switch', help: 'settings:openid.creates_help' },
      adopts_users: { control: 'switch', help: 'settings:saml.adopts_help' },
      username_claim: { help: 'settings:saml.claim_help' },
      subject_claim: { help: 'settings:saml.subject_help' },
      rules: { render: (input) => <RulesField input={input} /> },
      is_active: { control: 'switch' },
      name_format: { help: 'settings:saml.format_help' },
      signs_requests: { control: 'switch', help: 'settings:saml.signs_help' },
      comment: { control: 'textarea' },
    },
    backTo: () => samlTab,
    aside: ({ values, id }) => <ProviderAside values={values} id={id} />,
  },
});
