import { KeyRound } from 'lucide-react';
import type { Api } from '#/lib/api-types';
import { defineResource } from '#/resource/define';
import { lazyPart } from '#/resource/lazy-part';
import { samlRoutes, samlTab } from '../addresses';
import { VOUCHING_FIELDS, vouchingList } from '../vouching/vouching';

// Only forms need them.
const ProviderAside = lazyPart(async () => (await import('./ProviderAside')).ProviderAside);

export type SamlRow = Pick<
  Api<'SamlProvider'>,
  'id' | 'name' | 'slug' | 'idp_entity_id' | 'sso_url' | 'is_active' | 'order'
>;

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
  list: vouchingList<SamlRow, 'idp_entity_id'>('idp_entity_id'),
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
        fields: ['order', 'is_active', 'name_format', 'signs_requests', 'decrypts', 'comment'],
      },
    ],
    initial: () => ({ rules: [] }),
    fields: {
      ...VOUCHING_FIELDS,
      metadata: { control: 'textarea' },
      sso_url: { placeholder: 'https://login.example.com/sso' },
      certificates: { control: 'textarea' },
      adopts_users: { control: 'switch', help: 'settings:saml.adopts_help' },
      username_claim: { help: 'settings:saml.claim_help' },
      subject_claim: { help: 'settings:saml.subject_help' },
      name_format: { help: 'settings:saml.format_help' },
      signs_requests: { control: 'switch', help: 'settings:saml.signs_help' },
      decrypts: { control: 'switch', help: 'settings:saml.decrypts_help' },
    },
    backTo: () => samlTab,
    aside: ({ values, id }) => <ProviderAside values={values} id={id} />,
  },
});
