import { KeyRound } from 'lucide-react';
import type { Api } from '#/lib/api-types';
import { defineResource } from '#/resource/define';
import { lazyPart } from '#/resource/lazy-part';
import { openidRoutes, openidTab } from '../addresses';
import { VOUCHING_FIELDS, vouchingList } from '../vouching/vouching';

// Only forms need them.
const SecretInput = lazyPart(async () => (await import('../SecretInput')).SecretInput);
const ProviderAside = lazyPart(async () => (await import('./ProviderAside')).ProviderAside);

export type OpenidRow = Pick<
  Api<'OpenidProvider'>,
  'id' | 'name' | 'slug' | 'issuer' | 'client_id' | 'is_active' | 'order'
>;

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
  list: vouchingList<OpenidRow, 'issuer'>('issuer'),
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
      ...VOUCHING_FIELDS,
      issuer: { placeholder: 'https://login.example.com', help: 'settings:openid.issuer_help' },
      client_secret: {
        render: (input, { stored }) => <SecretInput input={input} isSet={stored?.['has_secret'] === true} />,
        help: ({ mode }) =>
          mode === 'update' ? 'settings:openid.secret_keeps' : 'settings:openid.secret_help',
      },
      adopts_users: { control: 'switch', help: 'settings:openid.adopts_help' },
      username_claim: { help: 'settings:openid.claim_help' },
      signs_out: { control: 'switch', help: 'settings:openid.signs_out_help' },
    },
    backTo: () => openidTab,
    aside: ({ values, id }) => <ProviderAside values={values} id={id} />,
  },
});
