import { Building2 } from 'lucide-react';
import type { Api } from '#/lib/api-types';
import { http } from '#/lib/http/client';
import { translate } from '#/lib/i18n';
import { type Profile, updateProfile } from '#/lib/session';
import { defineResource } from '#/resource/define';
import { lazyPart } from '#/resource/lazy-part';
import { Chip } from '#/ui/status';
import { organizationRoutes } from './addresses';

const Members = lazyPart(async () => (await import('./Members')).Members);

/** The objects that are counted for an organization, in the order of the columns. */
const COUNTED = [
  'users',
  'groups',
  'assets',
  'admin_users',
  'system_users',
  'applications',
  'asset_perms',
  'app_perms',
] as const;
type Amount = `${(typeof COUNTED)[number]}_amount`;

export type OrganizationRow = Pick<Api<'OrganizationDetail'>, 'id' | 'name' | 'is_default' | 'comment'> & {
  readonly resource_statistics: Readonly<Record<Amount, number>>;
};

// i18n: orgs:amount.*
const amounts = COUNTED.map((kind) => ({
  key: `resource_statistics.${kind}_amount` as const,
  label: `orgs:amount.${kind}`,
  cell: ({ resource_statistics: counts }: OrganizationRow) => {
    const amount = counts[`${kind}_amount`];
    return <span className={`tabular-nums ${amount === 0 ? 'text-ink-3' : ''}`}>{amount}</span>;
  },
}));

/** The selector of the sidebar shows the organizations of the profile, so the profile is reloaded. */
async function followInSelector(): Promise<void> {
  // The write has succeeded; if the profile cannot be reloaded, the selector is outdated until the next start.
  await http.get<Profile>('users/profile/', { quiet: true }).then(updateProfile, () => undefined);
}

export const organization = defineResource<OrganizationRow, 'orgs/orgs/'>({
  name: 'OrganizationListTable',
  api: 'orgs/orgs/',
  routes: organizationRoutes,
  icon: Building2,
  nameOf: (row) => row.name,
  noun: { one: 'orgs:one', many: 'orgs:many', what: 'orgs:what' },
  can: {
    delete: (row) => !row.is_default,
    kept: () => translate('orgs:default_stays'),
    // The server deletes organizations one at a time only.
    deleteMany: false,
  },
  deleted: followInSelector,
  list: {
    columns: ['name', ...amounts.map((amount) => ({ ...amount, align: 'right' as const })), 'comment'],
    phone: {
      icon: Building2,
      meta: (row) => <span>{translate('orgs:phone', { count: row.resource_statistics.users_amount })}</span>,
    },
  },
  form: {
    groups: [{ title: 'orgs:form.basic', fields: ['name', 'comment'] }],
    saved: followInSelector,
  },
  detail: {
    status: (row) => (row.is_default ? <Chip>{translate('orgs:default')}</Chip> : null),
    cards: [
      { title: 'resource:tab.basic', fields: ['name', 'created_by', 'date_created', 'comment'] },
      {
        title: 'orgs:card.amounts',
        fields: amounts.map(({ key, label, cell }) => ({ key, label, value: cell })),
      },
    ],
    tabs: [
      {
        id: 'members',
        label: 'orgs:tab.members',
        content: (row, tools) => <Members organization={row} onChange={tools.refresh} />,
      },
    ],
  },
});
